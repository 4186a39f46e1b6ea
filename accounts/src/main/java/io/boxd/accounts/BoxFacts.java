package io.boxd.accounts;

import java.util.Map;
import java.util.Optional;

/**
 * Whose a box is, as far as rights go by it.
 *
 * @param owner the id of a user
 * @param orphaned whether its owner is not in its organisation any more, so that the organisation's owners have it
 */
public record BoxFacts(
        String owner,
        Optional<String> organisation,
        Visibility visibility,
        Map<String, String> labels,
        boolean orphaned) {
    public BoxFacts {
        labels = Map.copyOf(labels);
    }
}
