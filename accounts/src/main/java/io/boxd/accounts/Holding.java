package io.boxd.accounts;

import java.util.Optional;

/**
 * A box, as far as it counts against a quota or a pool.
 *
 * @param awake whether it runs or is about to; one that sleeps, stands by or is stopped takes neither processors nor
 * memory
 */
public record Holding(
        String owner, Optional<String> organisation, int cpus, long memoryBytes, long diskBytes, boolean awake) {}
