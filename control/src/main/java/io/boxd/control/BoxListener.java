package io.boxd.control;

import io.boxd.common.Deadline;
import java.util.Optional;

/**
 * A place inside a box to which connections come; it and they end when this is closed.
 *
 * <p>It does not keep its box awake, but each connection does while something is said on it. When the box was
 * hibernated and is awake again, it listens again at the same place. A fork of the box does not have it.
 */
public interface BoxListener extends AutoCloseable {
    /** The port that was found, or 0 for a unix socket. */
    int port();

    /** The socket's path in the box; empty for a port. */
    String path();

    /** The next connection; nothing if none has come by the deadline. Throws once it cannot listen any more. */
    Optional<Arrival> accept(Deadline deadline);

    /** Stops listening; connections that were accepted go on. */
    @Override
    void close();

    /**
     * A connection that has come.
     *
     * @param address from where, in the box's own words; empty for a unix socket
     * @param port from which, or 0
     */
    record Arrival(BoxConnection connection, String address, int port) {}
}
