package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.Execution;
import io.boxd.guest.ExecutionId;
import io.boxd.guest.ExecutionInfo;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import io.boxd.worker.CheckpointRule;
import io.boxd.worker.KeptSnapshot;
import io.boxd.worker.SnapshotOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** Commands in boxes: begun, taken part in, listened to. */
final class Executions implements AutoCloseable {
    private final Boxes boxes;
    private final Shares shares;
    private final TimeLimits limits;

    Executions(Boxes boxes, Shares shares) {
        this.boxes = boxes;
        this.shares = shares;
        this.limits = new TimeLimits(boxes);
    }

    /** Runs a command; returns when it runs. */
    ExecutionStream run(Box box, RunOrder order) {
        ExecutionId id = ExecutionId.random();
        Optional<String> snapshot = checkpoint(box, order, id);
        String reason = (order.interactive() ? "shell " : "command ") + ExecutionNames.shown(id);
        Attention attention = new Attention(boxes, box.id(), reason, !order.interactive(), Limits.QUIET);
        try {
            AgentConnection agent = attention.take(Deadline.in(Limits.WAKE)).agent();
            if (!order.interactive()) {
                boxes.commandBegun(box.id());
            }
            Execution client = agent.start(id, order.request(), Deadline.in(Limits.QUESTION));
            CountDownLatch ended = new CountDownLatch(1);
            order.timeLimit().ifPresent(limit -> limits.watch(box.id(), id, limit, ended));
            boolean terminal = order.request().terminal() != null;
            LocalExecutionStream.Facts facts =
                    new LocalExecutionStream.Facts(id, terminal, order.request().stdin(), 0, snapshot, Long.MAX_VALUE);
            Participation part = new Participation(boxes, box.id(), attention, agent, client, true);
            return new LocalExecutionStream(facts, part, limits, ended);
        } catch (RuntimeException e) {
            attention.close();
            throw e;
        }
    }

    private Optional<String> checkpoint(Box box, RunOrder order, ExecutionId id) {
        if (!order.checkpoint() && !(box.checkpoints() instanceof CheckpointRule.EachCommand)) {
            return Optional.empty();
        }
        SnapshotOrder snapshotOrder =
                SnapshotOrder.before(ExecutionNames.shown(id), order.shown()).within(shares.of(box));
        KeptSnapshot snapshot = boxes.snapshot(box.id(), snapshotOrder, Deadline.in(Limits.SNAPSHOT));
        return Optional.of(snapshot.id());
    }

    /** Takes part in a command that was begun before. */
    ExecutionStream attach(Box box, String execution, long offset) {
        return listen(
                box, "attached to " + execution, offset, true, true, known -> ExecutionNames.find(known, execution));
    }

    /** Reads what a command has said; to the end of what there is, unless it is followed. */
    ExecutionStream logs(Box box, Optional<String> execution, Optional<Duration> since, long offset, boolean follow) {
        return listen(
                box,
                "reading a log",
                offset,
                follow,
                false,
                known -> execution
                        .map(said -> ExecutionNames.find(known, said))
                        .orElseGet(() -> newest(known, since.map(Instant.now()::minus))));
    }

    private static ExecutionInfo newest(List<ExecutionInfo> known, Optional<Instant> earliest) {
        return known.stream()
                .filter(info -> earliest.isEmpty() || info.started().isAfter(earliest.get()))
                .reduce((_, later) -> later)
                .orElseThrow(() -> Failures.notFound("no command was run in this box", "Run one with exec."));
    }

    /** Chooses one of the executions that a box knows. */
    private interface Choice {
        ExecutionInfo of(List<ExecutionInfo> known);
    }

    private ExecutionStream listen(Box box, String reason, long offset, boolean follow, boolean types, Choice choice) {
        Attention attention = new Attention(boxes, box.id(), reason, false, Limits.QUIET);
        try {
            AgentConnection agent = attention.take(Deadline.in(Limits.WAKE)).agent();
            ExecutionInfo info = choice.of(agent.executions(Deadline.in(Limits.QUESTION)));
            Execution client = agent.attach(info.id(), offset, Deadline.in(Limits.QUESTION));
            long stopAt = follow || !info.running() ? Long.MAX_VALUE : info.outputBytes();
            LocalExecutionStream.Facts facts = new LocalExecutionStream.Facts(
                    info.id(), info.terminal(), types && info.inputOpen(), info.inputBytes(), Optional.empty(), stopAt);
            Participation part = new Participation(boxes, box.id(), attention, agent, client, false);
            return new LocalExecutionStream(facts, part, limits, new CountDownLatch(1));
        } catch (RuntimeException e) {
            attention.close();
            throw e;
        }
    }

    boolean killedByLimit(ExecutionId id) {
        return limits.killed(id);
    }

    /** Runs something with a box's agent, the box kept awake meanwhile. */
    <T> T ask(String box, String reason, Question<T> question) {
        try (var hold = boxes.hold(box, reason, Deadline.in(Limits.WAKE))) {
            return question.ask(hold.agent(), Deadline.in(Limits.QUESTION));
        }
    }

    /** What is asked. */
    interface Question<T> {
        T ask(AgentConnection agent, Deadline deadline);
    }

    /** The error for a command that runs longer than anybody waits. */
    static BoxdException stillRunning(String execution) {
        return new BoxdException(
                ErrorCode.TIMEOUT,
                "the command runs on, but nobody waits longer for it: " + execution,
                "Follow it with logs -f or attach; or run it with --detach.",
                null);
    }

    @Override
    public void close() {
        limits.close();
    }
}
