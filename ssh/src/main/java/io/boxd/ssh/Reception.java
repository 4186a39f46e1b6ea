package io.boxd.ssh;

import java.io.IOException;
import org.apache.sshd.common.io.IoSession;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.session.ServerSessionImpl;
import org.apache.sshd.server.session.SessionFactory;

/** Lets connections in as far as the gate does; the others are closed before anything is read of them. */
final class Reception extends SessionFactory {
    private final Gate gate;

    Reception(SshServer server, Gate gate) {
        super(server);
        this.gate = gate;
    }

    @Override
    protected ServerSessionImpl doCreateSession(IoSession connection) throws Exception {
        Gate.Pass pass = gate.admit(Source.of(connection.getRemoteAddress()));
        if (pass == null) {
            throw new IOException("too many connections");
        }
        connection.setAttribute(Gate.Pass.class, pass);
        connection.addCloseFutureListener(_ -> pass.over());
        return new ServerSessionImpl(getServer(), connection);
    }
}
