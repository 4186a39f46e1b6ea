package io.boxd.guest;

import io.boxd.common.Deadline;
import java.net.InetAddress;
import java.util.Optional;

/**
 * A place inside a machine to which connections come, until this is closed or the session ends; a fork of the machine
 * does not have it. For one thread.
 */
public final class GuestListener implements AutoCloseable {
    private final Session session;
    private final Tunnel tunnel;
    private final Records<Notice> arrivals;
    private final int port;
    private final GuestBytes path;

    /** What the machine tells of a connection that has come. */
    private record Notice(int number, InetAddress address, int port) {
        static Notice parse(PayloadReader reader) throws ProtocolException {
            return new Notice(reader.s32(), reader.address(), reader.u16());
        }
    }

    /**
     * A connection that has come.
     *
     * @param address from where; all zeros for a unix socket
     */
    public record Arrival(GuestConnection connection, InetAddress address, int port) {}

    GuestListener(Session session, Tunnel tunnel, Deadline deadline) {
        this.session = session;
        this.tunnel = tunnel;
        PayloadReader facts = tunnel.awaitOpened(deadline);
        try {
            this.port = facts.u16();
            this.path = facts.string(Wire.MAX_SOCKET_PATH_BYTES);
            facts.end();
        } catch (ProtocolException e) {
            throw tunnel.nonsense(e);
        }
        this.arrivals = new Records<>(tunnel, Notice::parse);
    }

    /** The port, also if the machine has chosen it; 0 for a unix socket. */
    public int port() {
        return port;
    }

    /** The path of a unix socket; empty for a port. */
    public GuestBytes path() {
        return path;
    }

    /** The next connection; nothing if none has come by the deadline. */
    public Optional<Arrival> accept(Deadline deadline) {
        return arrivals.poll(deadline).map(notice -> {
            byte[] request = new PayloadWriter()
                    .u32(tunnel.stream())
                    .u32(notice.number())
                    .toBytes();
            Tunnel taken = Tunnel.begin(session, Wire.TAKE, request, null, deadline, "taking a connection");
            return new Arrival(new GuestConnection(taken), notice.address(), notice.port());
        });
    }

    /** Ends it; connections that were accepted go on. */
    @Override
    public void close() {
        arrivals.close();
    }
}
