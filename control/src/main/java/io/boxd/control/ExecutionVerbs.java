package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.guest.ExecutionInfo;
import io.boxd.guest.ExitStatus;
import io.boxd.guest.OutputChannel;
import io.boxd.worker.Box;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Commands as questions and answers: exec to its end, ps, kill. */
final class ExecutionVerbs {
    private final Executions executions;
    private final RunOrders orders;

    ExecutionVerbs(Executions executions, RunOrders orders) {
        this.executions = executions;
        this.orders = orders;
    }

    Map<String, Handler> handlers() {
        return Map.of("exec", this::run, "ps", this::list, "kill", this::kill);
    }

    private JsonNode run(Asked asked) {
        Parameters said = asked.said();
        Box box = asked.box();
        Optional<String> input = said.text("stdin");
        boolean detach = said.flag("detach");
        RunOrder order = orders.of(box, said, input.isPresent());
        try (ExecutionStream stream = executions.run(box, order)) {
            ObjectNode answer = Json.object().put("exec_id", stream.execution());
            stream.snapshot().ifPresent(id -> answer.put("snapshot_id", id));
            if (detach) {
                input.ifPresent(text -> send(stream, text));
                return answer;
            }
            input.ifPresent(text -> Thread.ofVirtual().start(() -> send(stream, text)));
            collect(stream, answer);
            return answer;
        }
    }

    private static void send(ExecutionStream stream, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try {
            stream.write(bytes, 0, bytes.length);
            stream.endInput();
        } catch (IOException | BoxdException e) {
            // The command has ended without reading all of it, which its status tells.
            return;
        }
    }

    private static void collect(ExecutionStream stream, ObjectNode answer) {
        Deadline deadline = Deadline.in(Limits.UNWATCHED_COMMAND);
        Capture output = new Capture();
        Capture stdout = new Capture();
        Capture stderr = new Capture();
        while (true) {
            switch (stream.next(deadline)) {
                case Happening.Output(OutputChannel channel, var data) -> {
                    byte[] bytes = new byte[data.remaining()];
                    data.get(bytes);
                    output.add(bytes);
                    (channel == OutputChannel.STDOUT ? stdout : stderr).add(bytes);
                }
                case Happening.Skipped(long _) -> output.truncated = true;
                case Happening.Nothing() -> throw Executions.stillRunning(stream.execution());
                case Happening.Ended ended -> {
                    answer.put("output", output.text());
                    answer.put("stdout", stdout.text());
                    answer.put("stderr", stderr.text());
                    answer.setAll(ended.json());
                    answer.put("truncated", output.truncated || stdout.truncated || stderr.truncated);
                    return;
                }
            }
        }
    }

    /** The beginning of what was said. */
    private static final class Capture {
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private boolean truncated;

        void add(byte[] bytes) {
            int room = Math.min(bytes.length, Limits.CAPTURED_BYTES - kept.size());
            kept.write(bytes, 0, room);
            truncated |= room < bytes.length;
        }

        String text() {
            return kept.toString(StandardCharsets.UTF_8);
        }
    }

    private JsonNode list(Asked asked) {
        String box = asked.box().id();
        ArrayNode list = Json.array();
        executions
                .ask(box, "listing executions", (agent, deadline) -> agent.executions(deadline))
                .forEach(info -> list.add(shown(info)));
        return list;
    }

    private JsonNode kill(Asked asked) {
        String box = asked.box().id();
        String execution = asked.said().required("exec_id");
        int signal = Signals.number(asked.said().text("signal").orElse("TERM"));
        return executions.ask(box, "signalling " + Printable.line(execution), (agent, deadline) -> {
            ExecutionInfo info = ExecutionNames.find(agent.executions(deadline), execution);
            if (info.running()) {
                agent.kill(info.id(), signal, deadline);
            }
            return shown(ExecutionNames.find(agent.executions(deadline), ExecutionNames.shown(info.id())));
        });
    }

    private ObjectNode shown(ExecutionInfo info) {
        Optional<ExitStatus> status = info.status();
        boolean killed = status.filter(ExitStatus.Killed.class::isInstance).isPresent();
        Happening.Ended how =
                new Happening.Ended(status, killed && executions.killedByLimit(info.id()), Optional.empty());
        ObjectNode answer = Json.object();
        answer.put("exec_id", ExecutionNames.shown(info.id()));
        answer.put("command", info.command());
        answer.put("user", info.user());
        answer.put("status", info.running() ? "running" : killed ? "killed" : "exited");
        answer.put("exit_code", how.exitCode().orElse(null));
        answer.put("signal", how.signal().orElse(null));
        answer.put("tty", info.terminal());
        answer.put("started_at", Answers.time(info.started()));
        answer.put("ended_at", Answers.time(info.ended()));
        answer.put("output_bytes", info.outputBytes());
        answer.put("clients", info.clients());
        answer.put("cpu_ms", info.cpuTime().toMillis());
        return answer;
    }
}
