package io.boxd.control;

import io.boxd.common.Deadline;
import java.util.List;
import java.util.Optional;

/** The images that boxes of this host can start from. */
public interface Images {
    /** All that can be asked for, built or not. */
    List<ImageFacts> list();

    /** Throws, naming those there are, if there is none with this name. */
    void require(String name);

    /** Builds one that is known or, with a recipe (TOML), one that is not; returns at once if it is there. */
    ImageFacts build(String name, Optional<String> recipe, Deadline deadline);

    /** Forgets one that was made by a recipe; its boxes go on. */
    void remove(String name);

    /**
     * What is known of an image.
     *
     * @param kind {@code system} or {@code tiny}
     * @param packages that it has besides the usual ones
     * @param diskBytes what its disk takes on this host; 0 until it is built
     * @param key changes whenever anything in it changes; empty until it is built
     */
    record ImageFacts(
            String name, String suite, String kind, List<String> packages, long diskBytes, boolean built, String key) {}
}
