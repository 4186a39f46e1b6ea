package io.boxd.control;

import io.boxd.common.Deadline;
import java.util.List;

/** The images that boxes of this host can start from. */
public interface Images {
    /** All that can be asked for, built or not. */
    List<ImageFacts> list();

    /** Throws, naming those there are, if there is none with this name. */
    void require(String name);

    /** Builds one of them; returns at once if it is there. */
    ImageFacts build(String name, Deadline deadline);

    /**
     * What is known of an image.
     *
     * @param kind {@code system} or {@code tiny}
     * @param diskBytes what its disk takes on this host; 0 until it is built
     * @param key changes whenever anything in it changes; empty until it is built
     */
    record ImageFacts(String name, String suite, String kind, long diskBytes, boolean built, String key) {}
}
