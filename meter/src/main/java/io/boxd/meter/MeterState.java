package io.boxd.meter;

import java.time.Instant;
import java.util.Optional;

/**
 * Where the meter of a box stands: everything up to here has been added up.
 *
 * @param awake whether the box is awake since then
 * @param counters how far its machine's counters have been taken
 */
public record MeterState(
        String box, Instant at, boolean awake, Optional<Counters> counters, long memoryMebibytes, long diskMebibytes) {}
