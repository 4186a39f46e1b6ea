package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** What to say when there is no way to a server. */
final class Unreachable {
    private Unreachable() {}

    /** @param patience how long was waited at most */
    static BoxdException because(ServerAddress address, IOException e, Duration patience) {
        String at = address + " (" + address.source() + ")";
        if (address.isHere() && e instanceof ConnectException) {
            return ServerFinder.notRunning(address.source(), e);
        }
        return switch (e) {
            case UnknownHostException unknown ->
                failure(
                        "nobody knows the host " + address.url().host() + " of " + at,
                        "Is its name right, and does this machine reach its name server?",
                        unknown);
            case ConnectException refused ->
                failure(
                        "nothing listens at " + at + ": " + refused.getMessage(),
                        "Is the port right, and does the server run?",
                        refused);
            case SocketTimeoutException late ->
                failure(
                        at + " did not answer within " + patience.toMillis() + " ms",
                        "Is the address right, and does a firewall let you through?",
                        late);
            default ->
                address.url().secure()
                        ? withTls(address, at, e)
                        : failure("there is no way to " + at + ": " + e.getMessage(), null, e);
        };
    }

    private static BoxdException withTls(ServerAddress address, String at, IOException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof Distrust distrust) {
                return distrusted(address, at, distrust);
            }
        }
        // Java has no class for this one.
        if (e instanceof SSLException && String.valueOf(e.getMessage()).contains("Unsupported or unrecognized SSL")) {
            return failure(
                    at + " does not speak TLS",
                    "If that is right, say " + address.url().withTls(false) + ".",
                    e);
        }
        return failure("no TLS connection to " + at + ": " + e.getMessage(), "Does the server speak HTTPS there?", e);
    }

    private static BoxdException distrusted(ServerAddress address, String at, Distrust distrust) {
        String what = "the certificate of " + at + " is not trusted: " + distrust.getMessage();
        return switch (distrust.kind()) {
            case UNKNOWN_AUTHORITY ->
                failure(
                        what,
                        "If the server has an authority of its own, get its certificate and say: boxd login "
                                + address.url() + " --ca FILE (or set BOXD_CA)",
                        distrust);
            case OTHER_NAME -> failure(what, "Is the host's name right? Or somebody is in between.", distrust);
            case OTHER_TIME ->
                failure(what, "Is this machine's clock right? Else the server needs a new one.", distrust);
        };
    }

    /** What came back over a plain connection is TLS. */
    static BoxdException speaksTls(ServerUrl url) {
        return failure(url + " speaks HTTPS", "Say " + url.withTls(true) + ".", null);
    }

    private static BoxdException failure(String message, @Nullable String hint, @Nullable Throwable cause) {
        return new BoxdException(ErrorCode.UNAVAILABLE, message, hint, cause);
    }
}
