package io.boxd.control;

import io.boxd.accounts.Access;
import io.boxd.accounts.AccountRecord;
import io.boxd.accounts.AccountRows;
import io.boxd.accounts.Deed;
import io.boxd.accounts.Principal;
import io.boxd.accounts.Secrets;
import io.boxd.accounts.TokenRow;
import io.boxd.accounts.Visibility;
import io.boxd.chronicle.Event;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.Right;
import io.boxd.worker.Boxes;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Knows who asks, and hands out the boxes that are theirs; asks the rows each time, so that nothing outlives its
 * revocation.
 */
public final class Guard {
    private static final Deed SEEING = new Deed("events", Right.READ);

    private final AccountRecord accounts;
    private final Boxes boxes;
    private final InstantSource clock;

    public Guard(AccountRecord accounts, Boxes boxes, InstantSource clock) {
        this.accounts = accounts;
        this.boxes = boxes;
        this.clock = clock;
    }

    /** Who shows this; throws if it does not count. */
    public Principal identify(Credential shown) {
        return switch (shown) {
            case Credential.Token(String secret) -> bearer(secret);
            case Credential.Key(String fingerprint) -> holder(fingerprint);
        };
    }

    private Principal holder(String fingerprint) {
        return accounts.rows()
                .holder(fingerprint)
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.UNAUTHENTICATED,
                        "nobody is known by this key",
                        "Add it to an account: boxd key add. Or follow an invitation: boxd login --invitation CODE.",
                        null));
    }

    private Principal bearer(String secret) {
        return accounts.rows().bearer(secret, clock.instant()).orElseThrow(() -> {
            boolean mistyped = Secrets.isMistyped(secret);
            return new BoxdException(
                    ErrorCode.UNAUTHENTICATED,
                    mistyped ? "this token is mistyped" : "this token does not count: it was revoked, or has expired",
                    mistyped ? "Copy all of it." : "Get another: boxd login, or boxd token create.",
                    null);
        });
    }

    /** The same one as they are now, for what outlasts a request; throws if what they showed does not count. */
    Principal again(Caller caller) {
        return caller.shown()
                .filter(Credential.Key.class::isInstance)
                .map(this::identify)
                .orElseGet(() -> again(caller.principal()));
    }

    private Principal again(Principal who) {
        AccountRows rows = accounts.rows();
        return who.token()
                .map(id -> rows.token(id)
                        .filter(token -> token.holds(clock.instant()))
                        .flatMap(token -> rows.bearer(token)))
                .orElseGet(() -> rows.user(who.user()).map(rows::principal))
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.UNAUTHENTICATED, "whoever began this is not known any more", "Log in again.", null));
    }

    /** When the token that they have shown stops counting by itself. */
    Optional<Instant> expiry(Principal who) {
        return who.token().flatMap(accounts.rows()::token).flatMap(TokenRow::expiresAt);
    }

    /** Whether there is a box with this id, whoever may see it. */
    boolean isThere(String box) {
        return boxes.list().stream().anyMatch(one -> one.id().equals(box));
    }

    /** Whether somebody would see a box of which this is all that is known. */
    boolean concerns(Principal who, Event.Audience audience) {
        return Access.isAllowed(
                who,
                SEEING,
                accounts.rows()
                        .box(
                                audience.owner(),
                                audience.organisation(),
                                audience.shared() ? Visibility.SHARED : Visibility.PRIVATE,
                                audience.labels()));
    }

    /** The boxes of this host as they have them for this deed; throws if they may not do it at all. */
    Boxes boxes(Principal who, Deed deed) {
        Access.require(who, deed);
        return new TheirBoxes(boxes, accounts.rows(), who, deed);
    }
}
