package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stream of bytes in both directions: a task that the machine does, or a connection inside it.
 *
 * <p>It ends when the machine says so, when it is closed, or with the session. Closing one that has not ended
 * cancels it: a task is broken off and cleaned up after.
 */
final class Tunnel implements AutoCloseable {
    /** A machine that stops reading holds up a caller no longer than this. */
    private static final Duration CONTROL_LIMIT = Duration.ofSeconds(10);

    private final Session session;
    private final int stream;
    private final String what;
    private final InboundBuffer output;
    private final StdinStream input;
    private final Reply<GuestBytes> opened = new Reply<>();
    private final Reply<GuestBytes> done = new Reply<>();

    private Tunnel(Session session, int stream, String what, @Nullable Duration stallLimit) {
        this.session = session;
        this.stream = stream;
        this.what = what;
        this.output = new InboundBuffer(bytes -> session.outbox().oweTunnel(stream, bytes), stallLimit);
        this.input = StdinStream.ofTunnel(session.outbox(), session.encoder(), stream, stallLimit);
    }

    /** Sends the request; how the machine takes it is known later. */
    static Tunnel begin(
            Session session, int type, byte[] request, @Nullable Duration stallLimit, Deadline deadline, String what) {
        int stream = session.newStream();
        Tunnel tunnel = new Tunnel(session, stream, what, stallLimit);
        byte[] frame = session.encoder().frame(type, stream, request);
        session.begin(stream, tunnel.conversation(), List.of(frame), deadline, what);
        return tunnel;
    }

    /** What the machine says as soon as it can do it; throws with its reason if it cannot, and is then closed. */
    PayloadReader awaitOpened(Deadline deadline) {
        try {
            return reader(opened.await(deadline, what));
        } catch (BoxdException e) {
            close();
            throw e;
        }
    }

    /** The result; at the deadline the task is cancelled. */
    PayloadReader awaitDone(Deadline deadline) {
        try {
            return reader(done.await(deadline, what));
        } catch (BoxdException e) {
            close();
            throw e;
        }
    }

    private static PayloadReader reader(GuestBytes payload) {
        return new PayloadReader(ByteBuffer.wrap(payload.toArray()));
    }

    /** The number by which the machine knows it. */
    int stream() {
        return stream;
    }

    InputStream output() {
        return output;
    }

    StdinStream input() {
        return input;
    }

    /** Waits for output or the end; false if the deadline came first. */
    boolean awaitOutput(Deadline deadline) {
        return output.await(deadline, what);
    }

    /** Why reading or writing failed, as the machine has put it if it has. */
    BoxdException explain(IOException failure) {
        if (done.isDone()) {
            try {
                done.await(Deadline.in(Duration.ZERO), what);
            } catch (BoxdException e) {
                return e;
            }
        }
        return new BoxdException(ErrorCode.UNAVAILABLE, what + " failed: " + failure.getMessage(), failure);
    }

    /** The machine has sent what its agent would not. */
    BoxdException nonsense(IOException reason) {
        close();
        return new BoxdException(ErrorCode.UNAVAILABLE, what + " failed: the machine's answer makes no sense", reason);
    }

    @Override
    public void close() {
        output.close();
        input.end("it was closed");
        if (done.isDone()) {
            return;
        }
        BoxdException cancelled = new BoxdException(ErrorCode.UNAVAILABLE, what + " was cancelled");
        opened.fail(cancelled);
        done.fail(cancelled);
        session.forget(stream);
        try {
            byte[] frame = session.encoder().frame(Wire.CANCEL, stream, new byte[0]);
            session.outbox().request(List.of(frame), Deadline.in(CONTROL_LIMIT), "cancelling");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (BoxdException e) {
            // The session has ended, and the task with it.
            return;
        }
    }

    private Conversation conversation() {
        return new Conversation() {
            @Override
            public boolean accept(AgentMessage message) throws ProtocolException {
                return take(message);
            }

            @Override
            public void gone(BoxdException reason) {
                fail(reason);
            }
        };
    }

    private boolean take(AgentMessage message) throws ProtocolException {
        switch (message) {
            case AgentMessage.Opened(GuestBytes payload) -> {
                if (!opened.complete(payload)) {
                    throw new ProtocolException("a stream is opened twice");
                }
            }
            case AgentMessage.Data(var data) -> output.put(data);
            case AgentMessage.DataEnd() -> output.end();
            case AgentMessage.DataCredit(long bytes) -> input.grant(bytes);
            case AgentMessage.TunnelDone(GuestBytes payload) -> {
                // Tasks with nothing to say before their end are open and done at once.
                opened.complete(GuestBytes.of(""));
                done.complete(payload);
                input.end("the other side has ended");
                output.end();
                return true;
            }
            case AgentMessage.Refused refused -> {
                fail(Refusals.toException(refused));
                return true;
            }
            default -> throw new ProtocolException("a message does not fit its stream");
        }
        return false;
    }

    private void fail(BoxdException reason) {
        String message = String.valueOf(reason.getMessage());
        opened.fail(reason);
        done.fail(reason);
        output.fail(message);
        input.end(message);
    }
}
