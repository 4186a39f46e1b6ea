package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.UriCompliance;
import org.jspecify.annotations.Nullable;

/**
 * Which requests may come in: those that name this server as theirs, and that no browser page of somebody else has
 * sent; and with which token.
 */
final class Gate {
    private static final String BEARER = "bearer ";

    private final Set<String> hosts;

    Gate(ApiConfig config) {
        String domain = config.domain().toLowerCase(Locale.ROOT);
        this.hosts = Set.of("localhost", domain, "api." + domain);
    }

    /**
     * What of a request decides.
     *
     * @param local the address at which it came in
     */
    record Request(
            List<String> hosts,
            List<String> origins,
            List<String> authorizations,
            @Nullable InetAddress local) {}

    /** A page elsewhere cannot choose these headers, whatever name it has made lead here. */
    void requireOwn(Request request) {
        if (request.hosts().size() != 1 || !isOwn(request.hosts().getFirst(), request.local())) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED,
                    "this server does not answer to that host name",
                    "Use localhost, the server's address, or its domain.",
                    null);
        }
        String own = request.hosts().getFirst().toLowerCase(Locale.ROOT);
        for (String origin : request.origins()) {
            String lower = origin.toLowerCase(Locale.ROOT);
            if (!lower.equals("http://" + own) && !lower.equals("https://" + own)) {
                throw new BoxdException(
                        ErrorCode.PERMISSION_DENIED, "requests from pages of other origins are refused");
            }
        }
    }

    /** The ports let through whatever a box may want; here a path has one meaning. */
    static void requirePlain(HttpURI uri) {
        if (!UriCompliance.DEFAULT.getAllowed().containsAll(uri.getViolations())) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the request's path is not understood",
                    "Is its path well encoded?",
                    null);
        }
    }

    private boolean isOwn(String authority, @Nullable InetAddress local) {
        String host = withoutPort(authority.toLowerCase(Locale.ROOT));
        if (hosts.contains(host)) {
            return true;
        }
        return local != null && (host.equals(local.getHostAddress()) || host.equals(bracketed(local)));
    }

    private static String bracketed(InetAddress address) {
        String text = address.getHostAddress();
        return text.equals("0:0:0:0:0:0:0:1") ? "[::1]" : "[" + text + "]";
    }

    private static String withoutPort(String authority) {
        int colon = authority.lastIndexOf(':');
        boolean port = colon > authority.lastIndexOf(']');
        return port ? authority.substring(0, colon) : authority;
    }

    /** The token that the request carries, if it carries one. */
    static Optional<String> token(Request request) {
        if (request.authorizations().size() != 1) {
            return Optional.empty();
        }
        String said = request.authorizations().getFirst();
        return said.toLowerCase(Locale.ROOT).startsWith(BEARER)
                ? Optional.of(said.substring(BEARER.length()).strip())
                : Optional.empty();
    }
}
