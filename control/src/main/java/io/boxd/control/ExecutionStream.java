package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.ExecutionId;
import io.boxd.guest.ExitStatus;
import io.boxd.guest.OutputChunk;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A door's part in an execution: what it says, and what is typed into it.
 *
 * <p>One thread reads, others may type. Output not read stops the command; nothing piles up here. The stream
 * outlives the sleep of its box: it goes on where it was when the box is awake again. Closing it does not touch
 * the command.
 */
public final class ExecutionStream implements BoxStream {
    private final ExecutionId id;
    private final boolean terminal;
    private final boolean takesInput;
    private final long inputOffset;
    private final Optional<String> snapshot;
    private final Participation part;
    private final TimeLimits limits;
    private final CountDownLatch ended;
    private final long startNanos = System.nanoTime();
    /** Behind the last byte that is wanted, if not all is. */
    private final long stopAt;

    private final long firstOffset;
    private @Nullable OutputChunk pending;

    /** What a stream is of. */
    record Facts(
            ExecutionId id,
            boolean terminal,
            boolean takesInput,
            long inputOffset,
            Optional<String> snapshot,
            long stopAt) {}

    ExecutionStream(Facts facts, Participation part, TimeLimits limits, CountDownLatch ended) {
        this.id = facts.id();
        this.terminal = facts.terminal();
        this.takesInput = facts.takesInput();
        this.inputOffset = facts.inputOffset();
        this.snapshot = facts.snapshot();
        this.stopAt = facts.stopAt();
        this.part = part;
        this.limits = limits;
        this.ended = ended;
        this.firstOffset = part.offset();
    }

    /** The execution, as users write it. */
    public String execution() {
        return ExecutionNames.shown(id);
    }

    /** The offset at which this stream began. */
    public long firstOffset() {
        return firstOffset;
    }

    public boolean isTerminal() {
        return terminal;
    }

    /** Whether anything can be typed into it. */
    public boolean takesInput() {
        return takesInput;
    }

    /** How many bytes all clients together had typed into the command when this stream began. */
    public long inputOffset() {
        return inputOffset;
    }

    /** The snapshot that was taken before the command. */
    public Optional<String> snapshot() {
        return snapshot;
    }

    @Override
    public Happening next(Deadline deadline) {
        OutputChunk late = pending;
        if (late != null) {
            pending = null;
            return output(late);
        }
        if (part.offset() >= stopAt) {
            return end(Optional.empty());
        }
        try {
            Optional<OutputChunk> chunk = part.next(deadline);
            return chunk.map(this::output).orElseGet(() -> end(Optional.of(part.exitStatus())));
        } catch (BoxdException e) {
            if (e.code() == ErrorCode.TIMEOUT) {
                return new Happening.Nothing();
            }
            throw e;
        }
    }

    private Happening output(OutputChunk chunk) {
        if (chunk.offset() > part.offset()) {
            part.skipTo(chunk.offset());
            pending = chunk;
            return new Happening.Skipped(chunk.offset());
        }
        part.skipTo(chunk.end());
        return new Happening.Output(chunk.channel(), chunk.data());
    }

    private Happening end(Optional<ExitStatus> status) {
        if (status.isPresent()) {
            ended.countDown();
        }
        boolean timedOut = limits.killed(id)
                && status.filter(ExitStatus.Killed.class::isInstance).isPresent();
        Optional<Duration> duration =
                part.started() ? Optional.of(Duration.ofNanos(System.nanoTime() - startNanos)) : part.ranFor(id);
        return new Happening.Ended(status, timedOut, status.isPresent() ? duration : Optional.empty());
    }

    /** Types into the command; waits while it does not read, and wakes its box. */
    public void write(byte[] bytes, int offset, int length) throws IOException {
        part.write(bytes, offset, length);
    }

    /** No more will be typed; at a terminal, that is Ctrl-D. */
    public void endInput() throws IOException {
        part.endInput();
    }

    public void resize(int rows, int columns) {
        part.awake().resize(rows, columns);
    }

    /** Signals the command and its process group. */
    public void signal(String name) {
        int number = Signals.number(name);
        part.awake().signal(number);
    }

    @Override
    public void close() {
        part.close();
    }
}
