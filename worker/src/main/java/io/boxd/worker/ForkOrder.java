package io.boxd.worker;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Copies of a box that are to be, all of one instant.
 *
 * @param names one for each copy
 * @param paused whether they are left in standby
 * @param owner whose they are to be
 * @param allowances that they must fit into, besides this host's
 * @param key by which the order is known again
 * @param sharing whom else they are to concern
 */
public record ForkOrder(
        List<String> names,
        boolean paused,
        Map<String, String> labels,
        String owner,
        List<Allowance> allowances,
        Optional<RequestKey> key,
        Sharing sharing) {
    public ForkOrder {
        names = List.copyOf(names);
        labels = Map.copyOf(labels);
        allowances = List.copyOf(allowances);
    }

    /** Copies for this host itself, as many as it can have. */
    public ForkOrder(List<String> names, boolean paused, Map<String, String> labels) {
        this(names, paused, labels, BoxRow.LOCAL, List.of(), Optional.empty(), Sharing.none());
    }
}
