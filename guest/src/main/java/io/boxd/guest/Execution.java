package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;

/**
 * A command that runs in a machine.
 *
 * <p>Its output must be read or closed: a command whose output nobody takes stops at its window. The
 * command goes on when this is closed or the connection ends; its output is then thrown away.
 */
public final class Execution implements AutoCloseable {
    /** A machine that stops reading holds up a caller no longer than this. */
    private static final Duration CONTROL_LIMIT = Duration.ofSeconds(10);

    private final int stream;
    private final Outbox outbox;
    private final FrameEncoder encoder;
    private final Reply<Long> started = new Reply<>();
    private final Reply<ExitStatus> ended = new Reply<>();
    private final InboundBuffer stdout;
    private final InboundBuffer stderr;
    private final StdinStream stdin;

    Execution(int stream, boolean openStdin, Outbox outbox, FrameEncoder encoder) {
        this.stream = stream;
        this.outbox = outbox;
        this.encoder = encoder;
        this.stdout = new InboundBuffer(bytes -> outbox.owe(stream, AgentMessage.Channel.STDOUT, bytes));
        this.stderr = new InboundBuffer(bytes -> outbox.owe(stream, AgentMessage.Channel.STDERR, bytes));
        this.stdin = new StdinStream(outbox, encoder, stream, openStdin);
    }

    /** The process number inside the machine. */
    public long pid() {
        return started.await(Deadline.in(Duration.ZERO), "the start of the command");
    }

    /** What the command says; ends when the command has ended, also if background children go on. */
    public InputStream stdout() {
        return stdout;
    }

    /** Empty with a terminal, which has only one way out. */
    public InputStream stderr() {
        return stderr;
    }

    /** Input, if the request asked for it; closing it is the end of file that the command sees. */
    public OutputStream stdin() {
        return stdin;
    }

    /** Changes the size of the command's terminal. */
    public void resize(int rows, int columns) {
        ExecRequest.TerminalSize size = new ExecRequest.TerminalSize(rows, columns);
        send(Wire.RESIZE, new PayloadWriter().u16(size.rows()).u16(size.columns()), "resizing the terminal");
    }

    /** Signals the command and what it has started, as far as it is in the same process group. */
    public void signal(int number) {
        send(Wire.SIGNAL, new PayloadWriter().u8(number), "signalling the command");
    }

    /** Waits for the end of the command. Its output up to then has arrived and can be read. */
    public ExitStatus await(Deadline deadline) {
        return ended.await(deadline, "the command");
    }

    /** Stops listening; the command itself is not touched. */
    @Override
    public void close() {
        stdout.close();
        stderr.close();
    }

    void awaitStart(Deadline deadline) {
        started.await(deadline, "starting the command");
    }

    private void send(int type, PayloadWriter payload, String what) {
        if (ended.isDone()) {
            return;
        }
        try {
            outbox.request(List.of(encoder.frame(type, stream, payload.toBytes())), Deadline.in(CONTROL_LIMIT), what);
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
        if (!started.isDone()) {
            return takeFirst(message);
        }
        switch (message) {
            case AgentMessage.Output(AgentMessage.Channel channel, var data) -> {
                switch (channel) {
                    case STDOUT -> stdout.put(data);
                    case STDERR -> stderr.put(data);
                }
            }
            case AgentMessage.StdinCredit(long bytes) -> stdin.grant(bytes);
            case AgentMessage.Ended(ExitStatus status) -> {
                stdin.end("the command has ended");
                stdout.end();
                stderr.end();
                ended.complete(status);
                return true;
            }
            default -> throw new ProtocolException("a command's message does not fit");
        }
        return false;
    }

    private boolean takeFirst(AgentMessage message) throws ProtocolException {
        return switch (message) {
            case AgentMessage.Started(long pid) -> {
                started.complete(pid);
                yield false;
            }
            case AgentMessage.Refused refused -> {
                fail(Refusals.toException(refused));
                yield true;
            }
            default -> throw new ProtocolException("a command's first message does not fit");
        };
    }

    private void fail(BoxdException reason) {
        String message = String.valueOf(reason.getMessage());
        started.fail(reason);
        ended.fail(reason);
        stdout.fail(message);
        stderr.fail(message);
        stdin.end(message);
    }
}
