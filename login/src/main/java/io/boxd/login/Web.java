package io.boxd.login;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Asks an issuer over HTTPS: answers are bounded, redirects are not followed, every wait has an end. */
final class Web implements AutoCloseable {
    private static final int LONGEST_ANSWER = 1 << 20;
    private static final Duration CONNECTING = Duration.ofSeconds(10);

    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(CONNECTING)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();

    /** An answer that is JSON, with its status. */
    record Answer(int status, JsonNode body) {
        boolean isFine() {
            return status >= 200 && status < 300;
        }
    }

    /** In the clear only to this very host, where tests and sidecars are. */
    static URI requireSafe(String address) {
        URI uri;
        try {
            uri = URI.create(address);
        } catch (IllegalArgumentException e) {
            throw unusable("an address of the issuer is none", e);
        }
        boolean safe = uri.getHost() != null
                && uri.getUserInfo() == null
                && ("https".equals(uri.getScheme()) || ("http".equals(uri.getScheme()) && isLoopback(uri.getHost())));
        if (!safe) {
            throw unusable("an issuer is reached by https: '" + uri.getScheme() + "' is not safe", null);
        }
        return uri;
    }

    private static boolean isLoopback(String host) {
        if ("localhost".equals(host)) {
            return true;
        }
        try {
            return InetAddress.ofLiteral(host).isLoopbackAddress();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    Answer get(URI address, Map<String, String> headers, Deadline deadline) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address).GET();
        headers.forEach(request::header);
        return send(request, deadline);
    }

    Answer post(URI address, Map<String, String> form, Optional<String> authorization, Deadline deadline) {
        String body = form.entrySet().stream()
                .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
        HttpRequest.Builder request = HttpRequest.newBuilder(address)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Accept", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        authorization.ifPresent(value -> request.header("Authorization", value));
        return send(request, deadline);
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** As clients with a secret say who they are. */
    static String basic(String clientId, String secret) {
        String both = encoded(clientId) + ":" + encoded(secret);
        return "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8));
    }

    private Answer send(HttpRequest.Builder request, Deadline deadline) {
        HttpRequest built = request.timeout(Duration.ofNanos(Math.max(1, deadline.leftNanos())))
                .build();
        try {
            HttpResponse<InputStream> response = client.send(built, HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                byte[] bytes = body.readNBytes(LONGEST_ANSWER + 1);
                if (bytes.length > LONGEST_ANSWER) {
                    throw unusable("the issuer's answer is too long", null);
                }
                return new Answer(response.statusCode(), Json.parse(new String(bytes, StandardCharsets.UTF_8)));
            }
        } catch (BoxdException e) {
            throw e.code() == ErrorCode.INVALID_ARGUMENT ? unusable("the issuer's answer is no JSON", e) : e;
        } catch (IOException e) {
            throw unusable("the issuer at " + built.uri().getHost() + " does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unusable("waiting for the issuer was interrupted", e);
        }
    }

    static BoxdException unusable(String why, @Nullable Throwable cause) {
        return new BoxdException(
                ErrorCode.UNAVAILABLE, why, "Ask whoever runs this server to look at its oidc settings.", cause);
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
