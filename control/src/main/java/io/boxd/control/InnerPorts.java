package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.DialTarget;
import io.boxd.guest.GuestConnection;

/** Reaches what listens in a box for the box alone. */
final class InnerPorts {
    private InnerPorts() {}

    /** Dials a port from inside, by either of the addresses that mean the box itself. */
    static GuestConnection dial(AgentConnection agent, String box, int port, Deadline deadline) {
        try {
            return agent.dial(new DialTarget.Tcp(port, false), Limits.SILENCE, deadline);
        } catch (BoxdException e) {
            if (e.code() != ErrorCode.UNAVAILABLE || !agent.isOpen()) {
                throw e;
            }
        }
        try {
            return agent.dial(new DialTarget.Tcp(port, true), Limits.SILENCE, deadline);
        } catch (BoxdException e) {
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    "nothing listens on port " + port + " of " + box,
                    "Start a server there. Another port has a name of its own: PORT-" + box + ".",
                    e);
        }
    }
}
