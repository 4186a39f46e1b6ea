package io.boxd.meter;

import java.time.Instant;
import java.util.Optional;

/**
 * Where the meter of a box stands: everything up to here has been added up.
 *
 * @param owner the id of whom it was counted for last
 * @param awake whether the box is awake since then
 * @param counters how far its machine's counters have been taken
 */
public record MeterState(
        String box,
        String owner,
        Optional<String> organisation,
        Instant at,
        boolean awake,
        Optional<Counters> counters,
        long memoryMebibytes,
        long diskMebibytes) {}
