package io.boxd.accounts;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What commands about tokens change. */
final class TokenDecisions {
    private TokenDecisions() {}

    static List<AccountChange> add(AccountRows rows, TokenRow token) {
        rows.requireUser(token.user());
        token.maker().ifPresent(maker -> requireWithin(rows, token, maker));
        return first(rows, token);
    }

    /** One whose user comes to be with it. */
    static List<AccountChange> first(AccountRows rows, TokenRow token) {
        boolean used = rows.token(token.id()).isPresent()
                || rows.tokens().stream().anyMatch(other -> other.hash().equals(token.hash()));
        if (used) {
            throw new BoxdException(ErrorCode.ALREADY_EXISTS, "there is a token " + token.id() + " already");
        }
        return List.of(new AccountChange.Put(token));
    }

    private static void requireWithin(AccountRows rows, TokenRow token, String makerId) {
        TokenRow maker = rows.token(makerId)
                .filter(one -> one.user().equals(token.user()) && one.holds(token.createdAt()))
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.UNAUTHENTICATED, "the token that would make another was revoked meanwhile"));
        boolean shorter = maker.expiresAt().isEmpty()
                || token.expiresAt()
                        .filter(end -> !end.isAfter(maker.expiresAt().get()))
                        .isPresent();
        if (!token.scopes().areWithin(maker.scopes()) || !shorter) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED,
                    "a token cannot make one that may do more, or lasts longer, than itself",
                    "boxd whoami shows what this one is for.",
                    null);
        }
    }

    static List<AccountChange> revoke(AccountRows rows, AccountCommand.RevokeToken revoke) {
        TokenRow token = rows.token(revoke.token())
                .filter(one -> one.user().equals(revoke.by()) || AccountDecisions.isAdministrator(rows, revoke.by()))
                .filter(one -> isWithinReach(rows, revoke.with(), one))
                .orElseThrow(() -> AccountRows.missing("token", revoke.token()));
        return family(rows, token.id()).stream()
                .<AccountChange>map(id -> new AccountChange.Drop(RowKind.TOKEN, id))
                .toList();
    }

    /** A token with limits ends itself and what it made, so that it cannot lock its user out. */
    private static boolean isWithinReach(AccountRows rows, Optional<String> with, TokenRow token) {
        Optional<TokenRow> shown = with.flatMap(rows::token);
        if (with.isPresent() && shown.isEmpty()) {
            return false;
        }
        return shown.filter(one -> one.scopes().limited())
                .map(one -> family(rows, one.id()).contains(token.id()))
                .orElse(true);
    }

    /** A token and all that were made with it, or with those. */
    private static List<String> family(AccountRows rows, String id) {
        List<String> all = new ArrayList<>(List.of(id));
        for (int i = 0; i < all.size(); i++) {
            Optional<String> maker = Optional.of(all.get(i));
            rows.tokens().stream()
                    .filter(token -> token.maker().equals(maker) && !all.contains(token.id()))
                    .forEach(token -> all.add(token.id()));
        }
        return all;
    }

    static List<AccountChange> sweep(AccountRows rows, Instant at) {
        List<AccountChange> changes = new ArrayList<>();
        rows.tokens().stream()
                .filter(token -> !token.holds(at))
                .forEach(token -> changes.add(new AccountChange.Drop(RowKind.TOKEN, token.key())));
        rows.invitations().stream()
                .filter(invitation -> !invitation.holds(at))
                .forEach(invitation -> changes.add(new AccountChange.Drop(RowKind.INVITATION, invitation.key())));
        return changes;
    }
}
