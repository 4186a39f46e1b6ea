package io.boxd.proxy;

import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.Credential;
import io.boxd.control.VisitOrder;
import java.util.Locale;
import java.util.Optional;

/**
 * What a request shows of who asks. All of it is for this door: the box gets none of it.
 *
 * @param token of somebody whom the server knows
 * @param link that lets in whoever has it, from the target
 * @param cookie the same from a cookie
 * @param counts whether the box is to notice
 */
record Visitor(Optional<String> token, Optional<String> link, Optional<String> cookie, boolean counts) {
    private static final String BEARER = "bearer ";
    private static final String OURS = "boxd_";
    private static final String TOKEN_FIELD = "x-boxd-token";
    private static final String QUIET_FIELD = "x-boxd-quiet";

    static Visitor of(Incoming in) {
        Optional<String> token = Optional.empty();
        Optional<String> cookie = Optional.empty();
        boolean counts = true;
        for (Field field : in.fields()) {
            if (isToken(field)) {
                token = Optional.of(field.value().substring(BEARER.length()).strip());
            } else if (field.is(TOKEN_FIELD)) {
                token = Optional.of(field.value());
            } else if (field.is(QUIET_FIELD)) {
                counts = false;
            } else if (field.is("cookie")) {
                cookie = cookie.or(() -> LinkCookie.find(field.value()));
            }
        }
        return new Visitor(token, LinkQuery.find(in.target()), cookie, counts);
    }

    /** A token of this server in the usual place; others there are for the box. */
    static boolean isToken(Field field) {
        return field.is("authorization")
                && field.value().toLowerCase(Locale.ROOT).startsWith(BEARER)
                && field.value().substring(BEARER.length()).strip().startsWith(OURS);
    }

    /** Who it is; throws if they show a token that does not count. */
    Caller caller(Control control, Caller stranger) {
        return token.map(secret -> control.identify(stranger, new Credential.Token(secret)))
                .orElse(stranger);
    }

    VisitOrder order(BoxNames.Goal goal) {
        return new VisitOrder(goal.box(), goal.port(), link.or(() -> cookie), counts);
    }
}
