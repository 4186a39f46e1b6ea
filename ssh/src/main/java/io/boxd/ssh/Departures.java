package io.boxd.ssh;

import org.apache.sshd.common.AttributeRepository.AttributeKey;
import org.apache.sshd.common.session.Session;

/** How a connection ends, noted on it before its channels notice. */
final class Departures {
    private static final AttributeKey<Leaving> LEAVING = new AttributeKey<>();

    private Departures() {}

    /** The first note stands. */
    static void note(Session session, Leaving how) {
        if (session.getAttribute(LEAVING) == null) {
            session.setAttribute(LEAVING, how);
        }
    }

    /** Nothing noted: it broke. */
    static Leaving of(Session session) {
        Leaving how = session.getAttribute(LEAVING);
        return how == null ? Leaving.LOST : how;
    }
}
