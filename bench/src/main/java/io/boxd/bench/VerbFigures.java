package io.boxd.bench;

import io.boxd.bench.Instance.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** What verbs cost whoever types them. */
final class VerbFigures {
    private static final String BOX = "bench";
    private static final String API = "api";
    private static final String JSON = "--json";
    private static final int DIRTY_MEGABYTES = 50;
    private static final int FILE_BYTES = 8_000_000;
    private static final int COPIES = 5;
    /** What takes seconds each is measured less often. */
    private static final int SLOW_ROUNDS = 5;

    private final Instance instance;
    private final ApiConnection api;
    private final Report report;
    private final int rounds;
    private final Verb destroy = new Verb();

    VerbFigures(Instance instance, ApiConnection api, Report report, int rounds) {
        this.instance = instance;
        this.api = api;
        this.report = report;
        this.rounds = rounds;
    }

    void measure() throws IOException {
        news();
        instance.boxd("new", "--name", BOX);
        instance.awaitQuiet();
        looking();
        commands();
        copying();
        standby();
        forks("fork_idle_ms", "of an idle box");
        instance.boxd("exec", BOX, "--", "sh", "-c", "yes | head -c " + DIRTY_MEGABYTES + "M > /dev/shm/dirty");
        forks("fork_dirty_ms", "with " + DIRTY_MEGABYTES + " MB dirty");
        fanOut();
        lasting();
        destroy(BOX);
        destroy.report(report, "destroy_ms", "one box");
    }

    private static void say(String stage) {
        System.err.println(stage);
    }

    private void destroy(String box) {
        destroy.add(instance.boxd("destroy", box));
    }

    /** The first of each pair is ready already, the second follows at once. */
    private void news() throws IOException {
        say("new");
        Verb warm = new Verb();
        Verb next = new Verb();
        for (int i = 0; i < rounds; i++) {
            instance.awaitQuiet();
            create(warm, "warm");
            create(next, "next");
            destroy("warm");
            destroy("next");
        }
        warm.report(report, "new_ms", "a box that was ready already");
        next.report(report, "new_next_ms", "another one at once, before the next is ready");
    }

    private void create(Verb verb, String name) {
        verb.told(verb.add(instance.boxd("new", "--name", name, JSON)).json().path("timings"), "create_ms", "ready_ms");
    }

    private void looking() {
        say("list, status");
        Verb list = new Verb();
        Verb status = new Verb();
        for (int i = 0; i < rounds; i++) {
            list.add(instance.boxd("list"));
            over(list, () -> api.get("/boxes"));
            status.add(instance.boxd("status"));
            over(status, () -> api.get("/status"));
        }
        list.report(report, "list_ms", "of one box");
        status.report(report, "status_ms", "the server and its boxes");
    }

    /** The same over the connection that is kept. */
    private static void over(Verb verb, Supplier<JsonNode> call) {
        long start = System.nanoTime();
        JsonNode answer = call.get();
        verb.beside(API).add(Duration.ofNanos(System.nanoTime() - start));
        if (answer.has("duration_ms")) {
            verb.told(answer, "duration_ms");
        }
    }

    private void commands() {
        say("exec");
        Verb argv = new Verb();
        Verb shell = new Verb();
        for (int i = 0; i < rounds; i++) {
            ready(argv.add(instance.boxd("exec", BOX, "--", "sh", "-c", "echo ready")));
            over(argv, () -> api.post("/boxes/" + BOX + "/exec", Map.of("argv", List.of("sh", "-c", "echo ready"))));
            ready(shell.add(instance.boxd("exec", BOX, "echo ready")));
            over(shell, () -> api.post("/boxes/" + BOX + "/exec", Map.of("script", "echo ready")));
        }
        argv.report(report, "exec_ms", "sh -c 'echo ready'; over the API it is one request");
        shell.report(report, "exec_login_ms", "'echo ready' in a login shell");
    }

    private static void ready(Run run) {
        if (!run.output().equals("ready\n")) {
            throw new IllegalStateException("the command said: " + run.output());
        }
    }

    private void copying() throws IOException {
        say("cp");
        byte[] content = new byte[FILE_BYTES];
        new Random(1).nextBytes(content);
        Path file = Files.write(instance.folder().resolve("sent"), content);
        Path back = instance.folder().resolve("back");
        Verb up = new Verb();
        Verb down = new Verb();
        for (int i = 0; i < rounds; i++) {
            up.add(instance.boxd("cp", file.toString(), BOX + ":file"));
            down.add(instance.boxd("cp", BOX + ":file", back.toString()));
            if (Files.mismatch(file, back) >= 0) {
                throw new IllegalStateException("another file came back");
            }
        }
        up.report(report, "cp_up_ms", "8 MB into a box");
        down.report(report, "cp_down_ms", "and back");
    }

    private void standby() {
        say("pause, resume");
        Verb pause = new Verb();
        Verb resume = new Verb();
        for (int i = 0; i < rounds; i++) {
            pause.told(pause.add(instance.boxd("pause", BOX, JSON)).json(), "suspend_us");
            resume.told(resume.add(instance.boxd("resume", BOX, JSON)).json(), "resume_us");
        }
        pause.report(report, "pause_ms", "standby");
        resume.report(report, "resume_ms", "and on");
    }

    private void forks(String name, String meaning) throws IOException {
        say("fork " + meaning);
        Verb fork = new Verb();
        for (int i = 0; i < rounds; i++) {
            instance.awaitQuiet();
            JsonNode copy =
                    fork.add(instance.boxd("fork", BOX, "--name", "copy", JSON)).json();
            fork.told(copy, "pause_ms", "ready_ms");
            destroy("copy");
            instance.awaitQuiet();
            forkOverApi(fork);
        }
        fork.report(report, name, meaning);
    }

    /** What the door takes: the whole request without what the server says that the copy took. */
    private void forkOverApi(Verb fork) {
        long start = System.nanoTime();
        JsonNode copy = api.post("/boxes/" + BOX + "/fork", Map.of("name", "copy"));
        double wall = (System.nanoTime() - start) / 1e6;
        fork.beside(API).add(wall);
        fork.beside("door").add(wall - copy.path("ready_ms").asDouble());
        destroy("copy");
    }

    private void fanOut() throws IOException {
        say("fork --count " + COPIES);
        Verb fork = new Verb();
        for (int i = 0; i < Math.min(rounds, SLOW_ROUNDS); i++) {
            instance.awaitQuiet();
            Run run = fork.add(instance.boxd("fork", BOX, "--name", "copy", "--count", Integer.toString(COPIES), JSON));
            List<String> names = new ArrayList<>();
            Samples pauses = new Samples();
            Samples readies = new Samples();
            for (JsonNode copy : run.json()) {
                names.add(copy.path("name").asString());
                pauses.add(copy.path("pause_ms").asDouble());
                readies.add(copy.path("ready_ms").asDouble());
            }
            fork.beside("pause").add(pauses.percentile(100));
            fork.beside("ready").add(readies.percentile(100));
            instance.boxd(Stream.concat(Stream.of("destroy"), names.stream()).toArray(String[]::new));
        }
        fork.report(report, "fork_" + COPIES + "_ms", COPIES + " copies of one instant, the slowest of them");
    }

    private void lasting() throws IOException {
        say("snapshot, rollback, hibernate, wake");
        Verb save = new Verb();
        Verb rollback = new Verb();
        Verb hibernate = new Verb();
        Verb wake = new Verb();
        for (int i = 0; i < Math.min(rounds, SLOW_ROUNDS); i++) {
            instance.awaitQuiet();
            String snapshot = save.add(instance.boxd("snapshot", "save", BOX, JSON))
                    .json()
                    .path("id")
                    .asString();
            rollback.told(
                    rollback.add(instance.boxd("rollback", BOX, snapshot, JSON)).json(), "took_ms");
            instance.awaitQuiet();
            hibernate.told(hibernate.add(instance.boxd("hibernate", BOX, JSON)).json(), "hibernate_ms");
            instance.awaitQuiet();
            ready(wake.add(instance.boxd("exec", BOX, "--", "sh", "-c", "echo ready")));
        }
        String used = " with " + DIRTY_MEGABYTES + " MB in use";
        save.report(report, "snapshot_save_ms", "durable" + used);
        rollback.report(report, "rollback_ms", "back to it; what is left is kept, too");
        hibernate.report(report, "hibernate_ms", "durable and no process" + used);
        wake.report(report, "exec_wakes_ms", "exec on a hibernated box, to its output");
    }
}
