package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.net.InetAddress;
import java.util.List;

/** Where a connection from inside a machine leads: within that machine, or as far as its network goes. */
public sealed interface DialTarget {
    /** A TCP port of the machine's loopback address, 127.0.0.1 or ::1. */
    record Tcp(int port, boolean versionSix) implements DialTarget {
        public Tcp {
            requirePort(port);
        }
    }

    /** A TCP port of the first of these addresses that answers. */
    record Addresses(List<InetAddress> addresses, int port) implements DialTarget {
        public Addresses {
            requirePort(port);
            addresses = List.copyOf(addresses);
            if (addresses.isEmpty() || addresses.size() > Wire.MAX_ADDRESSES) {
                throw new BoxdException(
                        ErrorCode.INVALID_ARGUMENT, "nobody can dial " + addresses.size() + " addresses at once");
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

    private static void requirePort(int port) {
        if (port < 1 || port > Wire.MAX_PORT) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "there is no port " + port);
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
            case Addresses(List<InetAddress> addresses, int port) -> {
                writer.u8(3).u16(port).u8(addresses.size());
                addresses.forEach(writer::address);
            }
            case Unix(GuestPath path) -> writer.u8(2).u16(0).string(path.bytes());
        }
        return writer.u32(timeoutMillis).toBytes();
    }

    /** For messages. */
    default String describe() {
        return switch (this) {
            case Tcp(int port, boolean versionSix) -> "port " + port + (versionSix ? " of ::1" : "");
            case Addresses(List<InetAddress> addresses, int port) ->
                "port " + port + " of " + addresses.getFirst().getHostAddress();
            case Unix(GuestPath path) -> path.toString();
        };
    }
}
