package io.boxd.ssh;

import java.util.function.Predicate;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.session.SessionListener;
import org.apache.sshd.server.session.ServerSession;

/** Follows connections from their beginning to their end. */
final class Guests implements SessionListener {
    private final Predicate<String> known;

    /** @param known whether a key with this fingerprint belongs to an account */
    Guests(Predicate<String> known) {
        this.known = known;
    }

    @Override
    public void sessionCreated(Session session) {
        KeyAuthentication.prepare((ServerSession) session, known);
    }

    @Override
    public void sessionEvent(Session session, Event event) {
        if (event == Event.Authenticated
                && session.getIoSession().getAttribute(Gate.Pass.class) instanceof Gate.Pass it) {
            it.known();
        }
    }

    @Override
    public void sessionDisconnect(Session session, int reason, String message, String language, boolean ours) {
        if (!ours) {
            Departures.note(session, Leaving.DELIBERATE);
        }
    }
}
