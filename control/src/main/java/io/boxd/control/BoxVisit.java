package io.boxd.control;

import java.time.Duration;

/**
 * Somebody is at a box: it stays awake until this is closed, or rests when nothing has been said for a while.
 *
 * <p>Safe for several threads.
 */
public interface BoxVisit extends AutoCloseable {
    /** The id of the box; connections of different boxes are never mixed up. */
    String box();

    /** The port that this leads to. */
    int port();

    /** Whether the box sleeps and was left alone, because this visitor does not count. */
    default boolean asleep() {
        return false;
    }

    /**
     * Connects to the port, wherever in the box somebody listens there.
     *
     * <p>Fails with {@code unavailable} if nobody does, with {@code timeout} if nobody answers within the limit. The
     * connection may outlive this visit.
     */
    BoxConnection connect(Duration limit);

    /** From now on the box need not stay awake while nothing is said on the connections of this visit. */
    void rest();

    @Override
    void close();
}
