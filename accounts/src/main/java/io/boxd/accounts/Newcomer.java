package io.boxd.accounts;

import java.util.List;
import java.util.Optional;

/** A user to be, with what they will be known by. */
public record Newcomer(UserRow user, List<KeyRow> keys, Optional<TokenRow> token, Optional<IdentityRow> identity) {
    public Newcomer {
        keys = List.copyOf(keys);
    }
}
