package io.boxd.api;

import java.net.InetAddress;
import java.net.URI;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/**
 * Where the HTTP door is.
 *
 * @param port 0 for any that is free
 * @param secure the door with TLS, if there is one
 * @param domain under which boxes have names
 * @param version of the server, for the description of the API
 * @param rateLimit requests that one caller may make in a second, for a while; 0 for no limit
 * @param metricsOpen whether metrics are told without the token
 * @param collector where traces are sent, if anywhere
 * @param pages what anybody may read by HTTP whatever host they name, by its path
 */
public record ApiConfig(
        InetAddress bind,
        int port,
        Optional<Secure> secure,
        String domain,
        String version,
        int rateLimit,
        boolean metricsOpen,
        Optional<URI> collector,
        Function<String, Optional<String>> pages) {
    /**
     * Where the same is answered with TLS.
     *
     * @param port 0 for any that is free
     * @param context with the server's key and certificate
     */
    public record Secure(int port, SSLContext context) {}

    /** As it is unless somebody says otherwise. */
    public static final int USUAL_RATE_LIMIT = 1000;

    public static ApiConfig usual(InetAddress bind, int port, String domain) {
        return new ApiConfig(
                bind,
                port,
                Optional.empty(),
                domain,
                "",
                USUAL_RATE_LIMIT,
                false,
                Optional.empty(),
                _ -> Optional.empty());
    }

    public ApiConfig withRateLimit(int requests) {
        return new ApiConfig(bind, port, secure, domain, version, requests, metricsOpen, collector, pages);
    }

    public ApiConfig withSecure(Secure door) {
        return new ApiConfig(bind, port, Optional.of(door), domain, version, rateLimit, metricsOpen, collector, pages);
    }

    public ApiConfig withMetricsOpen() {
        return new ApiConfig(bind, port, secure, domain, version, rateLimit, true, collector, pages);
    }

    public ApiConfig withCollector(URI url) {
        return new ApiConfig(bind, port, secure, domain, version, rateLimit, metricsOpen, Optional.of(url), pages);
    }
}
