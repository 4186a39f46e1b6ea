package io.boxd.worker;

import java.util.Optional;

/**
 * Who besides its owner a box concerns; what follows from it is decided elsewhere.
 *
 * @param organisation the id of the one it belongs to
 * @param shared whether members of that may use it
 */
public record Sharing(Optional<String> organisation, boolean shared) {
    /** Nobody else's concern. */
    public static Sharing none() {
        return new Sharing(Optional.empty(), false);
    }
}
