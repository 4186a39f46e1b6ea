package io.boxd.proxy;

import java.util.Set;

/**
 * Which fields concern one connection only, which are this door's own, and how names are compared: many programs take
 * {@code X_Real_Ip} for {@code X-Real-Ip}, so what somebody could take for one of ours is treated as one of ours.
 */
final class FieldNames {
    /** What this door tells the box of a visitor begins so, and nobody else says it. */
    static final String OWN = "x-boxd-";

    private static final String FORWARDED = "x-forwarded-";

    /** Of one connection, not of the request. */
    private static final Set<String> HOPS = Set.of(
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authenticate",
            "proxy-authorization",
            "proxy-authentication-info",
            "te",
            "transfer-encoding",
            "upgrade",
            "http2-settings");

    /** What is written anew. */
    private static final Set<String> WRITTEN = Set.of("host", "content-length", "expect", "forwarded", "x-real-ip");

    /** What a request says of the whole must not be said to be of one connection only. */
    private static final Set<String> LASTING = Set.of(
            "host", "content-length", "content-type", "content-encoding", "authorization", "cookie", "forwarded");

    private FieldNames() {}

    /** As the most careless reader would spell it: lower case, and hyphens for everything but letters and digits. */
    static String plain(String name) {
        StringBuilder plain = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char each = name.charAt(i);
            if (each >= 'A' && each <= 'Z') {
                plain.append((char) (each + ('a' - 'A')));
            } else {
                boolean kept = (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9');
                plain.append(kept ? each : '-');
            }
        }
        return plain.toString();
    }

    /** Whether a request's field stays behind at this door, whoever has sent it. */
    static boolean staysBehind(String plain) {
        return HOPS.contains(plain) || WRITTEN.contains(plain) || plain.startsWith(OWN) || plain.startsWith(FORWARDED);
    }

    /** Whether an answer's field is of the connection to the box, or pretends to be from this door. */
    static boolean staysInside(String plain) {
        return HOPS.contains(plain) || plain.startsWith(OWN) || plain.equals("alt-svc");
    }

    /** Whether a client may say of this field that it concerns its connection only. */
    static boolean canBeOfConnection(String plain) {
        return !LASTING.contains(plain) && !plain.startsWith(FORWARDED) && !plain.startsWith(OWN);
    }

    /** Whether it may come behind the body: nothing that a reader would have needed before it. */
    static boolean canBeTrailer(String plain) {
        return !staysBehind(plain) && canBeOfConnection(plain) && !plain.equals("trailer") && !plain.equals("te");
    }

    /** A word as HTTP has it for names and methods. */
    static boolean isToken(String text) {
        return !text.isEmpty() && text.chars().allMatch(FieldNames::isTokenChar);
    }

    private static boolean isTokenChar(int each) {
        return (each >= 'a' && each <= 'z')
                || (each >= 'A' && each <= 'Z')
                || (each >= '0' && each <= '9')
                || "!#$%&'*+-.^_`|~".indexOf(each) >= 0;
    }

    /** What a value may consist of: printable characters, blanks, tabs, and bytes that have no meaning here. */
    static boolean isValue(String text) {
        return text.chars().allMatch(each -> each == '\t' || (each >= ' ' && each != 0x7f && each <= 0xff));
    }
}
