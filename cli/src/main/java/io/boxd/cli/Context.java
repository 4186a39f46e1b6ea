package io.boxd.cli;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A server that the user knows.
 *
 * @param token null after a logout
 * @param authorities certificates in PEM, the only ones to trust; null for those that the system trusts
 * @param insecureHttp whether its token may be sent without encryption
 */
record Context(
        String name,
        String url,
        @Nullable String token,
        @Nullable String authorities,
        boolean insecureHttp) {
    /** What the server on this machine is called. */
    static final String LOCAL = "local";

    static boolean isName(String name) {
        return name.matches("[a-z0-9][a-z0-9._-]{0,62}") && !name.equals(LOCAL);
    }

    /** What a server is called if its user does not say. */
    static String nameFor(ServerUrl url) {
        return url.host().toLowerCase(Locale.ROOT);
    }

    Context withoutToken() {
        return new Context(name, url, null, authorities, insecureHttp);
    }

    /** The token stays out of messages. */
    @Override
    public String toString() {
        return name + " at " + url;
    }
}
