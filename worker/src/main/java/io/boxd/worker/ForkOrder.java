package io.boxd.worker;

import java.util.List;
import java.util.Map;

/**
 * Copies of a box that are to be, all of one instant.
 *
 * @param names one for each copy
 * @param paused whether they are left in standby
 */
public record ForkOrder(List<String> names, boolean paused, Map<String, String> labels) {
    public ForkOrder {
        names = List.copyOf(names);
        labels = Map.copyOf(labels);
    }
}
