package io.boxd.control;

import io.boxd.common.Deadline;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.GuestConnection;
import io.boxd.worker.Box;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;

/** A visit that its box does not notice: no packet passes its wire, and nobody keeps it awake. */
record Glance(Box of, int port, AgentConnection agent) implements BoxVisit {
    @Override
    public String box() {
        // Connections of those who look are not for those who visit.
        return of.id() + " seen";
    }

    @Override
    public BoxConnection connect(Duration limit) {
        return new Seen(InnerPorts.dial(agent, of.name(), port, Deadline.in(limit)));
    }

    /** Counts as nothing. */
    private record Seen(GuestConnection connection) implements BoxConnection {
        @Override
        public InputStream input() {
            return connection.input();
        }

        @Override
        public OutputStream output() {
            return connection.output();
        }

        @Override
        public void close() {
            connection.close();
        }
    }

    @Override
    public void rest() {}

    @Override
    public void close() {}
}
