package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/**
 * Where a server is, what it lets us in with, and by what we know it.
 *
 * @param authorities certificates in PEM, the only ones to trust; null for those that the system trusts
 * @param source where all that was read, for messages
 */
record ServerAddress(ServerUrl url, String token, @Nullable String authorities, Reach reach, String source) {
    /** How far its token may go over a connection that everybody on the way can read. */
    enum Reach {
        /** It is a server on this machine: to any address of this machine. */
        THIS_MACHINE,
        /** Nowhere but to the loopback address. */
        LOOPBACK,
        /** Its owner said that it may. */
        ANYWHERE
    }

    ServerAddress {
        if (!token.matches("[!-~]{1,512}")) {
            throw new BoxdException(ErrorCode.UNAUTHENTICATED, "the token has characters that no token has");
        }
    }

    /** Refuses to speak, unless the token is safe on its way to what the host's name was found to mean. */
    void requireSafe(InetAddress target) throws IOException {
        boolean safe = url.secure()
                || switch (reach) {
                    case THIS_MACHINE -> target.isLoopbackAddress() || isOfThisMachine(target);
                    case LOOPBACK -> target.isLoopbackAddress();
                    case ANYWHERE -> true;
                };
        if (!safe) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED,
                    "the token is not sent to " + url + ": everyone on the way could read it",
                    "Use https://. If you trust the network between: boxd login " + url + " --insecure-http",
                    null);
        }
    }

    private static boolean isOfThisMachine(InetAddress target) throws SocketException {
        return target.isAnyLocalAddress() || NetworkInterface.getByInetAddress(target) != null;
    }

    boolean isHere() {
        return reach == Reach.THIS_MACHINE;
    }

    /** The token stays out of messages. */
    @Override
    public String toString() {
        return url.toString();
    }
}
