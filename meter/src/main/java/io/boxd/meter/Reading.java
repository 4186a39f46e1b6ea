package io.boxd.meter;

import java.time.Instant;
import java.util.Optional;

/**
 * What was seen of a box at a moment.
 *
 * @param owner the id of whom it is counted for
 * @param organisation the id of what it is counted for besides
 * @param ran whether it was awake up to this moment, since the reading before
 * @param awake whether it is awake from this moment on
 * @param counters none where nothing is there that counts
 * @param last whether there will be no other: the box is gone
 */
public record Reading(
        String box,
        String owner,
        Optional<String> organisation,
        Instant at,
        boolean ran,
        boolean awake,
        Optional<Counters> counters,
        long memoryBytes,
        long diskBytes,
        boolean last) {}
