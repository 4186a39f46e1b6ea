package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.AgentConnection;
import io.boxd.worker.Box;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A visit to a box of this host: its port is dialled over its wire, and by its agent where something listens only inside
 * the box.
 */
final class LocalVisit implements BoxVisit {
    private final Box box;
    private final int port;
    private final Attention attention;
    private final Supplier<Attention> attentions;

    /**
     * A visit that holds its box already.
     *
     * @param attentions for connections that may outlast it
     */
    LocalVisit(Box box, int port, Attention attention, Supplier<Attention> attentions) {
        this.box = box;
        this.port = port;
        this.attention = attention;
        this.attentions = attentions;
    }

    @Override
    public String box() {
        return box.id();
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public BoxConnection connect(Duration limit) {
        Deadline deadline = Deadline.in(limit);
        Optional<BoxConnection> outside = overTheWire(deadline);
        return outside.isPresent() ? outside.get() : fromInside(deadline);
    }

    /** Nothing if nobody listens there for others than the box itself. */
    private Optional<BoxConnection> overTheWire(Deadline deadline) {
        if (box.address().isEmpty()) {
            return Optional.empty();
        }
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            int millis = (int) Math.min(Math.max(1, deadline.leftMillis()), Integer.MAX_VALUE);
            socket.connect(new InetSocketAddress(box.address().get(), port), millis);
            return Optional.of(new SocketConnection(socket));
        } catch (IOException e) {
            close(socket);
            return Optional.empty();
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "a socket cannot be closed", e);
        }
    }

    /** Something that listens there for the box alone, by either of the addresses that mean the box itself. */
    private BoxConnection fromInside(Deadline deadline) {
        Attention own = attentions.get();
        try {
            AgentConnection agent = own.take(deadline).agent();
            return new LocalConnection(InnerPorts.dial(agent, box.name(), port, deadline), own);
        } catch (RuntimeException e) {
            own.close();
            throw e;
        }
    }

    @Override
    public void rest() {
        attention.lost();
    }

    @Override
    public void close() {
        attention.close();
    }
}
