package io.boxd.proxy;

import io.boxd.control.VisitOrder;
import java.util.Optional;
import java.util.StringJoiner;

/** The link in the query of a target, as it is passed from hand to hand. */
final class LinkQuery {
    private static final String START = VisitOrder.LINK + "=";

    private LinkQuery() {}

    static Optional<String> find(String target) {
        int query = target.indexOf('?');
        if (query < 0) {
            return Optional.empty();
        }
        for (String part : target.substring(query + 1).split("&", -1)) {
            if (part.startsWith(START)) {
                return Optional.of(part.substring(START.length()));
            }
        }
        return Optional.empty();
    }

    /** The target without it, to be shown in the browser. */
    static String without(String target) {
        int query = target.indexOf('?');
        if (query < 0) {
            return target;
        }
        StringJoiner kept = new StringJoiner("&");
        for (String part : target.substring(query + 1).split("&", -1)) {
            if (!part.startsWith(START)) {
                kept.add(part);
            }
        }
        String path = target.substring(0, query);
        return kept.length() == 0 ? path : path + "?" + kept;
    }
}
