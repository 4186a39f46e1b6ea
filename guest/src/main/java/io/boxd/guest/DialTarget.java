package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;

/** Where a connection inside a machine leads; always within that machine. */
public sealed interface DialTarget {
    /** A TCP port of the machine's loopback address, 127.0.0.1 or ::1. */
    record Tcp(int port, boolean versionSix) implements DialTarget {
        private static final int MAX_PORT = 65_535;

        public Tcp {
            if (port < 1 || port > MAX_PORT) {
                throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "there is no port " + port);
            }
        }
    }

    /** A unix socket by its path. */
    record Unix(GuestPath path) implements DialTarget {
        public Unix {
            if (path.value().length() > Wire.MAX_SOCKET_PATH_BYTES) {
                throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "no socket can have so long a path: " + path);
            }
        }
    }

    static DialTarget port(int port) {
        return new Tcp(port, false);
    }

    /** The request of a connection that must have come about within so many milliseconds. */
    default byte[] encode(int timeoutMillis) {
        PayloadWriter writer = new PayloadWriter();
        switch (this) {
            case Tcp(int port, boolean versionSix) ->
                writer.u8(versionSix ? 1 : 0).u16(port).u16(0);
            case Unix(GuestPath path) -> writer.u8(2).u16(0).string(path.bytes());
        }
        return writer.u32(timeoutMillis).toBytes();
    }

    /** For messages. */
    default String describe() {
        return switch (this) {
            case Tcp(int port, boolean versionSix) -> "port " + port + (versionSix ? " of ::1" : "");
            case Unix(GuestPath path) -> path.toString();
        };
    }
}
