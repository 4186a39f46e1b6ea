package io.boxd.dns;

import org.xbill.DNS.Name;

/** What a name under the domain could stand for; said by its form alone. */
enum Place {
    /** The domain itself. */
    APEX,
    /** One of the domain's own name servers. */
    NAME_SERVER,
    /** A box, a port of it, one of its proxies, or the console. */
    DOOR,
    /** Where certificate authorities look for the proof that somebody has the domain. */
    CHALLENGE,
    /** Nothing that there could be. */
    NOWHERE;

    private static final String CHALLENGE_LABEL = "_acme-challenge";
    /** {@code SUB.NAME}. */
    private static final int MOST_LABELS = 2;

    /** Where a name of this zone is. */
    static Place of(Name name, Name origin) {
        int labels = name.labels() - origin.labels();
        if (labels == 0) {
            return APEX;
        }
        boolean challenge = CHALLENGE_LABEL.equalsIgnoreCase(name.getLabelString(0));
        int first = challenge ? 1 : 0;
        if (labels - first > MOST_LABELS) {
            return NOWHERE;
        }
        for (int i = first; i < labels; i++) {
            if (!isHostLabel(name.getLabel(i))) {
                return NOWHERE;
            }
        }
        return challenge ? CHALLENGE : DOOR;
    }

    /** Letters, digits and hyphens, these not at the ends; the first byte is the length. */
    private static boolean isHostLabel(byte[] label) {
        int last = label.length - 1;
        for (int i = 1; i <= last; i++) {
            byte c = label[i];
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!letter && (c != '-' || i == 1 || i == last)) {
                return false;
            }
        }
        return true;
    }
}
