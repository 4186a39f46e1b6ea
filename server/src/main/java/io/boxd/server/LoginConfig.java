package io.boxd.server;

import io.boxd.login.Admission;
import io.boxd.login.GitHub;
import io.boxd.login.Issuer;
import io.boxd.login.IssuerConfig;
import io.boxd.login.OidcIssuer;
import java.net.URI;
import java.util.List;

/**
 * Where people log in elsewhere, and who of them comes in without an invitation.
 *
 * @param issuer its address, or {@link #GITHUB}
 * @param clientSecret empty for a client without one
 */
record LoginConfig(String issuer, String clientId, String clientSecret, Admission admission) {
    static final String GITHUB = "github";

    private static final URI GITHUB_PAGES = URI.create("https://github.com");
    private static final URI GITHUB_QUESTIONS = URI.create("https://api.github.com");

    /** The issuer itself, which must be closed. */
    Issuer open() {
        if (issuer.equals(GITHUB)) {
            List<String> scopes = List.of("read:user", "user:email", "read:org");
            return new GitHub(new IssuerConfig(GITHUB_PAGES, clientId, clientSecret, scopes), GITHUB_QUESTIONS);
        }
        List<String> scopes = List.of("openid", "profile", "email");
        return new OidcIssuer(new IssuerConfig(URI.create(issuer), clientId, clientSecret, scopes));
    }
}
