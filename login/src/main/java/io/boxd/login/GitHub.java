package io.boxd.login;

import io.boxd.common.Deadline;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * GitHub, which speaks OAuth but not OpenID Connect: who somebody is is asked with the token that they have let us
 * have, at once and never again. Thread-safe.
 */
public final class GitHub implements Issuer {
    private static final String GRANT = "urn:ietf:params:oauth:grant-type:device_code";

    private final IssuerConfig config;
    private final URI questions;
    private final Web web = new Web();

    /** @param questions where its API is; {@code https://api.github.com} */
    public GitHub(IssuerConfig config, URI questions) {
        this.config = config;
        Web.requireSafe(config.issuer().toString());
        this.questions = Web.requireSafe(questions.toString());
    }

    private URI at(String path) {
        return URI.create(config.issuer() + path);
    }

    @Override
    public DeviceCode begin(Deadline deadline) {
        Map<String, String> form = new LinkedHashMap<>();
        form.put("client_id", config.clientId());
        form.put("scope", String.join(" ", config.scopes()));
        JsonNode body = web.post(at("/login/device/code"), form, Optional.empty(), deadline)
                .body();
        String code = body.path("device_code").asString("");
        String user = body.path("user_code").asString("");
        if (code.isEmpty() || user.isEmpty()) {
            throw Web.unusable("GitHub begins no login: " + OidcIssuer.said(body), null);
        }
        String address =
                Web.requireSafe(body.path("verification_uri").asString("")).toString();
        return new DeviceCode(
                code,
                "",
                user,
                address,
                address,
                Duration.ofSeconds(body.path("expires_in").asLong(900)),
                Duration.ofSeconds(body.path("interval").asLong(5)));
    }

    @Override
    public Progress poll(DeviceCode code, Deadline deadline) {
        Map<String, String> form = new LinkedHashMap<>();
        form.put("client_id", config.clientId());
        form.put("device_code", code.code());
        form.put("grant_type", GRANT);
        // It answers 200 also when it has nothing to give.
        JsonNode body = web.post(at("/login/oauth/access_token"), form, Optional.empty(), deadline)
                .body();
        String token = body.path("access_token").asString("");
        return token.isEmpty() ? OidcIssuer.waiting(body) : person(token, deadline);
    }

    private Progress person(String token, Deadline deadline) {
        Map<String, String> headers =
                Map.of("Authorization", "Bearer " + token, "Accept", "application/vnd.github+json");
        Web.Answer user = web.get(URI.create(questions + "/user"), headers, deadline);
        long id = user.body().path("id").asLong(0);
        if (!user.isFine() || id <= 0) {
            return new Progress.Failed("GitHub does not say who that was");
        }
        Web.Answer organisations = web.get(URI.create(questions + "/user/orgs?per_page=100"), headers, deadline);
        List<String> names = new ArrayList<>();
        if (organisations.isFine()) {
            organisations.body().forEach(one -> names.add(one.path("login").asString("")));
        }
        return new Progress.Done(new Person(
                config.issuer().toString(),
                Long.toString(id),
                Optional.of(user.body().path("login").asString("")).filter(login -> !login.isEmpty()),
                Optional.empty(),
                names));
    }

    @Override
    public void close() {
        web.close();
    }
}
