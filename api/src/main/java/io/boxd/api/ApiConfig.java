package io.boxd.api;

import java.net.URI;
import java.util.Optional;

/**
 * What the API is to be like.
 *
 * @param domain under which the server, and its boxes, have names
 * @param version of the server, for the description of the API
 * @param rateLimit requests that one caller may make in a second, for a while; 0 for no limit
 * @param metricsOpen whether metrics are told without the token
 * @param collector where traces are sent, if anywhere
 */
public record ApiConfig(String domain, String version, int rateLimit, boolean metricsOpen, Optional<URI> collector) {
    /** As it is unless somebody says otherwise. */
    public static final int USUAL_RATE_LIMIT = 1000;

    public static ApiConfig usual(String domain) {
        return new ApiConfig(domain, "", USUAL_RATE_LIMIT, false, Optional.empty());
    }

    public ApiConfig withRateLimit(int requests) {
        return new ApiConfig(domain, version, requests, metricsOpen, collector);
    }

    public ApiConfig withMetricsOpen() {
        return new ApiConfig(domain, version, rateLimit, true, collector);
    }

    public ApiConfig withCollector(URI url) {
        return new ApiConfig(domain, version, rateLimit, metricsOpen, Optional.of(url));
    }
}
