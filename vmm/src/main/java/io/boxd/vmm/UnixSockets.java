package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Connections to the sockets that the launcher bound before QEMU started. */
final class UnixSockets {
    private UnixSockets() {}

    /** Connects at once or fails: a bound listener needs nobody to accept first. */
    static SocketChannel connect(Path socket) {
        try {
            return SocketChannel.open(UnixDomainSocketAddress.of(socket));
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "cannot connect to " + socket, e);
        }
    }
}
