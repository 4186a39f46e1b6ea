package io.boxd.proxy;

import io.boxd.control.VisitOrder;
import java.util.Optional;
import java.util.StringJoiner;

/** The cookie in which a browser keeps a link to a box; it is for this door, and for one host only. */
final class LinkCookie {
    private static final String START = VisitOrder.LINK + "=";

    private LinkCookie() {}

    /** The link in a Cookie field, if it has one. */
    static Optional<String> find(String cookies) {
        for (String cookie : cookies.split(";", -1)) {
            if (cookie.strip().startsWith(START)) {
                return Optional.of(cookie.strip().substring(START.length()));
            }
        }
        return Optional.empty();
    }

    /** The field without it. */
    static String without(String cookies) {
        StringJoiner kept = new StringJoiner("; ");
        for (String cookie : cookies.split(";", -1)) {
            String one = cookie.strip();
            if (!one.isEmpty() && !one.startsWith(START)) {
                kept.add(one);
            }
        }
        return kept.toString();
    }

    /** What a browser is told to keep. */
    static String keeping(String link, boolean secure) {
        return START + link + "; Path=/; HttpOnly; SameSite=Lax" + (secure ? "; Secure" : "");
    }
}
