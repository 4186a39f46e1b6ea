package io.boxd.control;

import java.util.Optional;

/**
 * A place inside a box at which somebody outside is to be reached.
 *
 * @param user with whose rights it is made; nobody said: the one whose commands are
 */
public record ListenOrder(String box, Place place, Optional<String> user) {
    /** Where connections come. */
    public sealed interface Place {
        /**
         * A TCP port.
         *
         * @param address of the box: localhost, an address in digits, or empty for all
         * @param port 0 lets the box choose
         */
        record Port(String address, int port) implements Place {}

        /** A unix socket that must not be there yet, for its user alone. */
        record Socket(String path) implements Place {}

        /** A unix socket at a path that nobody else can guess or reach, as for an agent of keys. */
        record Secret() implements Place {}
    }
}
