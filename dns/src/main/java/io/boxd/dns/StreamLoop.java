package io.boxd.dns;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Answers questions that come by TCP: several on one connection, in their order.
 *
 * <p>A connection is cut when its time is over, also one whose other side takes nothing and gives nothing.
 */
final class StreamLoop implements AutoCloseable {
    static final int BACKLOG = 64;

    private final ServerSocket listener;
    private final Responder responder;
    private final StreamLimits limits;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Map<InetAddress, Integer> openOfEach = new ConcurrentHashMap<>();
    private final ScheduledThreadPoolExecutor ends = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("dns ends").factory());

    StreamLoop(ServerSocket listener, Responder responder, StreamLimits limits) {
        this.listener = listener;
        this.responder = responder;
        this.limits = limits;
        ends.setRemoveOnCancelPolicy(true);
    }

    void begin() {
        Thread.ofVirtual().name("dns tcp").start(this::run);
    }

    private void run() {
        while (!listener.isClosed()) {
            try {
                Socket connection = listener.accept();
                if (!admit(connection)) {
                    connection.close();
                }
            } catch (IOException _) {
                // Closed, or a connection that ended before it began.
            }
        }
    }

    private boolean admit(Socket connection) {
        InetAddress asker = connection.getInetAddress();
        int ofThis = openOfEach.merge(asker, 1, Integer::sum);
        if (open.size() >= limits.connections() || ofThis > limits.connectionsOfOne()) {
            leave(asker);
            return false;
        }
        open.add(connection);
        Thread.ofVirtual().name("dns connection").start(() -> {
            ScheduledFuture<?> end =
                    ends.schedule(() -> cut(connection), limits.connection().toMillis(), TimeUnit.MILLISECONDS);
            try (connection) {
                converse(connection);
            } catch (IOException _) {
                // The other side has hung up, sent nonsense or nothing: the connection is over.
            } finally {
                end.cancel(false);
                open.remove(connection);
                leave(asker);
            }
        });
        return true;
    }

    private void leave(InetAddress asker) {
        openOfEach.computeIfPresent(asker, (_, count) -> count > 1 ? count - 1 : null);
    }

    private void converse(Socket connection) throws IOException {
        connection.setTcpNoDelay(true);
        TimedInput in = new TimedInput(connection);
        while (true) {
            Deadline deadline = Deadline.in(limits.question());
            int length = in.number(deadline);
            if (length > Responder.LONGEST_QUERY) {
                return;
            }
            byte[] answer =
                    responder.answer(in.bytes(length, deadline), Transport.TCP).orElse(null);
            if (answer == null) {
                return;
            }
            connection.getOutputStream().write(framed(answer));
        }
    }

    /** In one piece, so that it leaves in one packet. */
    private static byte[] framed(byte[] answer) {
        byte[] framed = new byte[answer.length + 2];
        framed[0] = (byte) (answer.length >> 8);
        framed[1] = (byte) answer.length;
        System.arraycopy(answer, 0, framed, 2, answer.length);
        return framed;
    }

    private static void cut(Socket connection) {
        try {
            connection.close();
        } catch (IOException _) {
            // It is over in any case.
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException _) {
            // Nobody comes any more in any case.
        }
        ends.shutdownNow();
        open.forEach(StreamLoop::cut);
    }
}
