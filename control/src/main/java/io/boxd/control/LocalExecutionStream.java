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

/** A part in an execution of a box of this host. */
final class LocalExecutionStream implements ExecutionStream {
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

    LocalExecutionStream(Facts facts, Participation part, TimeLimits limits, CountDownLatch ended) {
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

    @Override
    public String execution() {
        return ExecutionNames.shown(id);
    }

    @Override
    public long firstOffset() {
        return firstOffset;
    }

    @Override
    public boolean isTerminal() {
        return terminal;
    }

    @Override
    public boolean takesInput() {
        return takesInput;
    }

    @Override
    public long inputOffset() {
        return inputOffset;
    }

    @Override
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

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        part.write(bytes, offset, length);
    }

    @Override
    public void endInput() throws IOException {
        part.endInput();
    }

    @Override
    public void resize(int rows, int columns) {
        part.awake().resize(rows, columns);
    }

    @Override
    public void signal(String name) {
        int number = Signals.number(name);
        part.awake().signal(number);
    }

    @Override
    public void close() {
        part.close();
    }
}
