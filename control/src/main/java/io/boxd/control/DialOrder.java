package io.boxd.control;

import java.time.Duration;
import java.util.Optional;

/**
 * A connection that is to be made from inside a box, under the rules of its network.
 *
 * @param limit within which it must have come about
 * @param user whose it is; nobody said: the one whose commands are. Only unix sockets ask for that.
 */
public record DialOrder(String box, Target target, Duration limit, Optional<String> user) {
    /** Where it leads. */
    public sealed interface Target {
        /** A TCP port of a host whose name is looked up inside the box; addresses and localhost, too. */
        record Port(String host, int port) implements Target {}

        /** A unix socket of the box. */
        record Socket(String path) implements Target {}
    }
}
