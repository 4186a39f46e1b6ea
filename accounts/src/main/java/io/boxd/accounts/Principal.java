package io.boxd.accounts;

import java.util.Map;
import java.util.Optional;

/**
 * Who asks, as the rows have it at this moment; made anew for each request, so that nothing outlives its revocation.
 *
 * @param user the id
 * @param roles by the ids of organisations
 * @param scopes of the token that was shown, all for a key
 * @param token the token's id
 */
public record Principal(
        String user,
        String name,
        boolean administrator,
        Map<String, Role> roles,
        Scopes scopes,
        Optional<String> token) {
    public Principal {
        roles = Map.copyOf(roles);
    }
}
