package io.boxd.proxy;

import java.util.Locale;

/** Which cookies a box may set: those of its own host and below, never those that others would get, too. */
record CookieRule(String host) {
    /** @param cookie the value of a Set-Cookie field */
    boolean allows(String cookie) {
        String[] parts = cookie.split(";", -1);
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            String name = (equals < 0 ? parts[i] : parts[i].substring(0, equals)).strip();
            if (name.equalsIgnoreCase("domain") && !isOwn(equals < 0 ? "" : parts[i].substring(equals + 1))) {
                return false;
            }
        }
        return true;
    }

    /** Browsers ignore an empty one, a leading dot and the case. */
    private boolean isOwn(String said) {
        String domain = said.strip().toLowerCase(Locale.ROOT);
        domain = domain.startsWith(".") ? domain.substring(1) : domain;
        return domain.isEmpty() || domain.equals(host) || domain.endsWith("." + host);
    }
}
