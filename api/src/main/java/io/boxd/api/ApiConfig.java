package io.boxd.api;

import java.net.InetAddress;
import java.net.URI;
import java.util.Optional;

/**
 * Where the HTTP door is.
 *
 * @param port 0 for any that is free
 * @param domain under which boxes have names
 * @param token that requests must carry
 * @param version of the server, for the description of the API
 * @param rateLimit requests that one caller may make in a second, for a while; 0 for no limit
 * @param metricsOpen whether metrics are told without the token
 * @param collector where traces are sent, if anywhere
 */
public record ApiConfig(
        InetAddress bind,
        int port,
        String domain,
        Token token,
        String version,
        int rateLimit,
        boolean metricsOpen,
        Optional<URI> collector) {
    /** As it is unless somebody says otherwise. */
    public static final int USUAL_RATE_LIMIT = 1000;

    public static ApiConfig usual(InetAddress bind, int port, String domain, Token token) {
        return new ApiConfig(bind, port, domain, token, "", USUAL_RATE_LIMIT, false, Optional.empty());
    }

    public ApiConfig withRateLimit(int requests) {
        return new ApiConfig(bind, port, domain, token, version, requests, metricsOpen, collector);
    }

    public ApiConfig withMetricsOpen() {
        return new ApiConfig(bind, port, domain, token, version, rateLimit, true, collector);
    }

    public ApiConfig withCollector(URI url) {
        return new ApiConfig(bind, port, domain, token, version, rateLimit, metricsOpen, Optional.of(url));
    }
}
