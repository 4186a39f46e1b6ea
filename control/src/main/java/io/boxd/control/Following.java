package io.boxd.control;

import io.boxd.common.Deadline;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Something that is told as it happens, one thing after the other; nothing is kept for whoever is slow. */
public interface Following extends AutoCloseable {
    /**
     * One thing.
     *
     * @param id with which somebody who left can go on behind it
     * @param kind what it is: {@code event} or {@code entry}
     */
    record Told(long id, String kind, ObjectNode json) {}

    /** The id behind which the next thing stands; what was not told yet can be asked for with it. */
    long position();

    /** The next, or nothing if none came in time. */
    Optional<Told> next(Deadline deadline);

    @Override
    void close();
}
