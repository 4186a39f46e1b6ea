package io.boxd.login;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** An OpenID Connect issuer, by its device flow. Thread-safe. */
public final class OidcIssuer implements Issuer {
    private static final String GRANT = "urn:ietf:params:oauth:grant-type:device_code";
    private static final Duration FACTS_HOLD = Duration.ofHours(1);
    private static final Duration KEYS_REST = Duration.ofMinutes(1);
    private static final Duration FETCHING = Duration.ofSeconds(10);
    private static final Duration USUAL_INTERVAL = Duration.ofSeconds(5);
    private static final int NONCE_BYTES = 16;

    private final IssuerConfig config;
    private final Web web = new Web();
    private final SecureRandom random = new SecureRandom();
    private final IdTokens tokens;
    private @Nullable Facts facts;
    private @Nullable FetchedKeys fetched;

    /** Where the issuer does what. */
    private record Facts(URI devices, URI tokens, URI keys, boolean basic, Instant at) {}

    private record FetchedKeys(String text, Instant at) {}

    public OidcIssuer(IssuerConfig config) {
        Web.requireSafe(config.issuer().toString());
        this.config = config;
        this.tokens = new IdTokens(config.issuer().toString(), config.clientId(), new IdTokens.Keys() {
            @Override
            public String known() {
                return keys(false);
            }

            @Override
            public String again() {
                return keys(true);
            }
        });
    }

    private synchronized Facts facts(Deadline deadline) {
        Facts known = facts;
        if (known != null && known.at().plus(FACTS_HOLD).isAfter(Instant.now())) {
            return known;
        }
        String issuer = config.issuer().toString();
        String address = issuer + (issuer.endsWith("/") ? "" : "/") + ".well-known/openid-configuration";
        Web.Answer answer = web.get(URI.create(address), Map.of("Accept", "application/json"), deadline);
        // Another name means that somebody else answers, whose tokens would be refused later anyway.
        if (!answer.isFine() || !answer.body().path("issuer").asString("").equals(issuer)) {
            throw Web.unusable("there is no issuer at " + issuer, null);
        }
        JsonNode methods = answer.body().path("token_endpoint_auth_methods_supported");
        boolean basic = methods.isMissingNode() || methods.toString().contains("client_secret_basic");
        Facts found = new Facts(
                endpoint(answer.body(), "device_authorization_endpoint"),
                endpoint(answer.body(), "token_endpoint"),
                endpoint(answer.body(), "jwks_uri"),
                basic,
                Instant.now());
        facts = found;
        return found;
    }

    private static URI endpoint(JsonNode body, String name) {
        String address = body.path(name).asString("");
        if (address.isEmpty()) {
            throw Web.unusable("the issuer has no " + name + ": it does not know the device flow", null);
        }
        return Web.requireSafe(address);
    }

    private synchronized String keys(boolean anew) {
        FetchedKeys known = fetched;
        boolean rested = known == null || known.at().plus(KEYS_REST).isBefore(Instant.now());
        if (known != null && (!anew || !rested)) {
            return known.text();
        }
        Deadline deadline = Deadline.in(FETCHING);
        Web.Answer answer = web.get(facts(deadline).keys(), Map.of("Accept", "application/json"), deadline);
        if (!answer.isFine()) {
            throw Web.unusable("the issuer does not give its keys", null);
        }
        FetchedKeys now = new FetchedKeys(answer.body().toString(), Instant.now());
        fetched = now;
        return now.text();
    }

    @Override
    public DeviceCode begin(Deadline deadline) {
        Facts where = facts(deadline);
        byte[] bytes = new byte[NONCE_BYTES];
        random.nextBytes(bytes);
        String nonce = HexFormat.of().formatHex(bytes);
        Map<String, String> form = new LinkedHashMap<>();
        form.put("scope", String.join(" ", config.scopes()));
        form.put("nonce", nonce);
        Web.Answer answer = post(where, where.devices(), form, deadline);
        JsonNode body = answer.body();
        String code = body.path("device_code").asString("");
        String user = body.path("user_code").asString("");
        String address = body.path("verification_uri").asString("");
        if (!answer.isFine() || code.isEmpty() || user.isEmpty() || address.isEmpty()) {
            throw Web.unusable("the issuer begins no login: " + said(body), null);
        }
        return new DeviceCode(
                code,
                nonce,
                user,
                Web.requireSafe(address).toString(),
                Web.requireSafe(body.path("verification_uri_complete").asString(address))
                        .toString(),
                Duration.ofSeconds(body.path("expires_in").asLong(600)),
                Duration.ofSeconds(body.path("interval").asLong(USUAL_INTERVAL.toSeconds())));
    }

    private Web.Answer post(Facts where, URI address, Map<String, String> form, Deadline deadline) {
        Map<String, String> fields = new LinkedHashMap<>(form);
        fields.put("client_id", config.clientId());
        boolean secret = !config.clientSecret().isEmpty();
        if (secret && !where.basic()) {
            fields.put("client_secret", config.clientSecret());
        }
        Optional<String> authorization = secret && where.basic()
                ? Optional.of(Web.basic(config.clientId(), config.clientSecret()))
                : Optional.empty();
        return web.post(address, fields, authorization, deadline);
    }

    /** What the issuer says is wrong, as a word of the protocol and nothing else. */
    static String said(JsonNode body) {
        String error = body.path("error").asString("it does not say why");
        return error.matches("[a-z_]{1,60}") ? error : "it does not say why";
    }

    @Override
    public Progress poll(DeviceCode code, Deadline deadline) {
        Facts where = facts(deadline);
        Map<String, String> form = new LinkedHashMap<>();
        form.put("grant_type", GRANT);
        form.put("device_code", code.code());
        Web.Answer answer = post(where, where.tokens(), form, deadline);
        if (answer.isFine()) {
            String token = answer.body().path("id_token").asString("");
            if (token.isEmpty()) {
                return new Progress.Failed("the issuer gave no ID token; its scopes must have openid among them");
            }
            try {
                return new Progress.Done(tokens.verify(token, code.nonce()));
            } catch (BoxdException e) {
                if (e.code() != ErrorCode.UNAUTHENTICATED) {
                    throw e;
                }
                return new Progress.Failed(String.valueOf(e.getMessage()));
            }
        }
        return waiting(answer.body());
    }

    static Progress waiting(JsonNode body) {
        return switch (said(body)) {
            case "authorization_pending" -> new Progress.Pending(false);
            case "slow_down" -> new Progress.Pending(true);
            case "access_denied" -> new Progress.Failed("it was declined in the browser");
            case "expired_token" -> new Progress.Failed("nobody logged in in time");
            default -> new Progress.Failed("the issuer refuses: " + said(body));
        };
    }

    @Override
    public void close() {
        web.close();
    }
}
