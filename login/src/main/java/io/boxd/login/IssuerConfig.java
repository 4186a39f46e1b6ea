package io.boxd.login;

import java.net.URI;
import java.util.List;

/**
 * Where people log in, and as what this server is known there.
 *
 * @param issuer as it names itself in its tokens
 * @param clientSecret empty for a client without one
 */
public record IssuerConfig(URI issuer, String clientId, String clientSecret, List<String> scopes) {
    public IssuerConfig {
        scopes = List.copyOf(scopes);
    }
}
