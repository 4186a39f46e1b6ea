package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A client of a command that runs, or has run, in a machine.
 *
 * <p>The command goes on when this is closed or the connection ends; what it says is kept, within bounds, and
 * {@link AgentConnection#attach} reads it from any offset that is still there. While this is open, its output must
 * be read: a command waits once it would overwrite what an open client has not taken.
 */
public final class Execution implements AutoCloseable {
    /** A machine that stops reading holds up a caller no longer than this. */
    private static final Duration CONTROL_LIMIT = Duration.ofSeconds(10);

    private static final Duration FAREWELL_LIMIT = Duration.ofSeconds(1);

    private record Start(long pid, long offset) {}

    private final ExecutionId id;
    private final int stream;
    private final boolean attaches;
    private final Session session;
    private final Reply<Start> started = new Reply<>();
    private final Reply<ExitStatus> ended = new Reply<>();
    private final OutputBuffers output;
    private final StdinStream stdin;

    private Execution(ExecutionId id, int stream, boolean attaches, boolean openStdin, Session session) {
        this.id = id;
        this.stream = stream;
        this.attaches = attaches;
        this.session = session;
        this.output = new OutputBuffers(stream, session.outbox());
        this.stdin = new StdinStream(session.outbox(), session.encoder(), stream, openStdin);
    }

    /** Of a command that is about to be started. */
    static Execution starting(ExecutionId id, int stream, boolean openStdin, Session session) {
        return new Execution(id, stream, false, openStdin, session);
    }

    /** Of a command that was started before; whether it takes input is known later. */
    static Execution attaching(ExecutionId id, int stream, Session session) {
        return new Execution(id, stream, true, true, session);
    }

    /** What the command is known by, in every session. */
    public ExecutionId id() {
        return id;
    }

    /** The process number inside the machine. */
    public long pid() {
        return start().pid();
    }

    /** The offset of the first byte that comes; more than was asked for if what was before it is not kept any more. */
    public long from() {
        return start().offset();
    }

    private Start start() {
        return started.await(Deadline.in(Duration.ZERO), "the start of the command");
    }

    /**
     * What the command says; ends when the command has ended, also if background children go on.
     *
     * <p>It and {@link #stderr()} come in the order in which they were said and share one window, so whoever
     * leaves one unread will not see the other for long.
     */
    public InputStream stdout() {
        return output.separate(OutputChannel.STDOUT);
    }

    /** Empty with a terminal, which has only one way out. */
    public InputStream stderr() {
        return output.separate(OutputChannel.STDERR);
    }

    /** Waits until a channel can be read or its end is known; false if the deadline came first. */
    boolean awaitBytes(OutputChannel channel, Deadline deadline) {
        return output.await(channel, deadline);
    }

    /** The next piece of either channel, in the order in which they came; nothing when the command has ended. */
    public Optional<OutputChunk> next(Deadline deadline) {
        return output.next(deadline);
    }

    /** How many bytes the machine has lost in the middle of what came here; 0 unless its disk fails. */
    public long lostBytes() {
        return output.lost();
    }

    /** Input, if the request asked for it; closing it is the end of file that the command sees. */
    public OutputStream stdin() {
        return stdin;
    }

    /** Changes the size of the command's terminal. */
    public void resize(int rows, int columns) {
        ExecRequest.TerminalSize size = new ExecRequest.TerminalSize(rows, columns);
        send(Wire.RESIZE, new PayloadWriter().u16(size.rows()).u16(size.columns()), CONTROL_LIMIT, "resizing");
    }

    /** Signals the command and what it has started, as far as it is in the same process group. */
    public void signal(int number) {
        send(Wire.SIGNAL, new PayloadWriter().u8(number), CONTROL_LIMIT, "signalling the command");
    }

    /** Waits for the end of the command. Its output up to then has arrived and can be read. */
    public ExitStatus await(Deadline deadline) {
        return ended.await(deadline, "the command");
    }

    /** Stops listening; the command itself is not touched. */
    @Override
    public void close() {
        output.close();
        if (ended.isDone()) {
            return;
        }
        try {
            send(Wire.DETACH, new PayloadWriter(), FAREWELL_LIMIT, "leaving the command");
            session.forget(stream);
        } catch (BoxdException e) {
            // Then what still comes is taken and forgotten, so the command is not held up either.
            return;
        } finally {
            stdin.end("the command is not listened to any more");
            ended.fail(new BoxdException(ErrorCode.WRONG_STATE, "the command is not listened to any more"));
        }
    }

    void awaitStart(Deadline deadline) {
        started.await(deadline, attaches ? "attaching to the command" : "starting the command");
    }

    private void send(int type, PayloadWriter payload, Duration limit, String what) {
        if (ended.isDone()) {
            return;
        }
        try {
            byte[] frame = session.encoder().frame(type, stream, payload.toBytes());
            session.outbox().request(List.of(frame), Deadline.in(limit), what);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, what + " was interrupted", e);
        }
    }

    /** This execution as the connection's reader sees it. */
    Conversation conversation() {
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
        if (message instanceof AgentMessage.Refused refused) {
            fail(Refusals.toException(refused));
            return true;
        }
        if (!started.isDone()) {
            takeFirst(message);
            return false;
        }
        switch (message) {
            case AgentMessage.Output(OutputChannel channel, var data) -> output.put(channel, data);
            case AgentMessage.OutputEnd(OutputChannel channel) -> output.end(channel);
            case AgentMessage.Skipped(long offset) -> output.skipTo(offset);
            case AgentMessage.StdinCredit(long bytes) -> stdin.grant(bytes);
            case AgentMessage.Ended(ExitStatus status) -> {
                stdin.end("the command has ended");
                output.end();
                ended.complete(status);
                return true;
            }
            default -> throw new ProtocolException("a command's message does not fit");
        }
        return false;
    }

    private void takeFirst(AgentMessage message) throws ProtocolException {
        switch (message) {
            case AgentMessage.Started(long pid) when !attaches -> started.complete(new Start(pid, 0));
            case AgentMessage.Attached(long offset, long pid, boolean input)
            when attaches -> {
                output.beginAt(offset);
                if (!input) {
                    stdin.end("the command takes no input");
                }
                started.complete(new Start(pid, offset));
            }
            default -> throw new ProtocolException("a command's first message does not fit");
        }
    }

    private void fail(BoxdException reason) {
        started.fail(reason);
        ended.fail(reason);
        output.fail(reason);
        stdin.end(String.valueOf(reason.getMessage()));
    }
}
