package io.boxd.trials;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.trials.Api.Answer;
import io.boxd.trials.Api.Request;
import io.boxd.trials.Journal.Known;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Compares what a server knows, and what there is on its host, with what its clients were told. */
final class StateCheck {
    /** In memory: a box that was booted again has none. */
    static final String MARK = "/tmp/mark";

    private static final Set<String> NEVER_STOPPED = Set.of("running", "standby", "hibernated");

    private static final String TRIAL = "boxd";

    private final Instance instance;
    private final Api api;
    private final String url;
    private final List<MixedClient> clients;
    private final List<String> violations = new ArrayList<>();

    StateCheck(Instance instance, Api api, String url, List<MixedClient> clients) {
        this.instance = instance;
        this.api = api;
        this.url = url;
        this.clients = clients;
    }

    List<String> violations() {
        return violations;
    }

    /** Everything that is written down. */
    StateCheck records() throws IOException, InterruptedException {
        Map<String, List<JsonNode>> boxes = by(get("/boxes?all=true"), StateCheck::origin);
        Map<String, List<JsonNode>> snapshots = by(get("/snapshots"), one -> one.path("label"));
        Map<String, List<JsonNode>> tokens = by(get("/tokens"), one -> one.path("note"));
        Map<String, List<JsonNode>> pools = by(get("/organisations"), one -> one.path("name"));
        for (MixedClient client : clients) {
            Journal journal = client.journal();
            journal.boxes.forEach((op, known) -> {
                List<JsonNode> found = boxes.getOrDefault(op, List.of());
                expect(journal, op, found);
                found.forEach(box -> compare(journal, op, known, box));
            });
            journal.snapshots
                    .keySet()
                    .forEach(label -> expect(journal, label, snapshots.getOrDefault(label, List.of())));
            journal.tokens.keySet().forEach(note -> expect(journal, note, tokens.getOrDefault(note, List.of())));
            comparePool(client, pools);
        }
        boxes.remove(TRIAL);
        requireKnown("box", boxes.keySet(), journal -> journal.boxes.keySet());
        requireKnown("snapshot", snapshots.keySet(), journal -> journal.snapshots.keySet());
        requireKnown(
                "token",
                tokens.keySet().stream()
                        .filter(note -> note.startsWith("client-"))
                        .collect(Collectors.toSet()),
                journal -> journal.tokens.keySet());
        Stream.of(boxes, snapshots, tokens)
                .flatMap(all -> all.entrySet().stream())
                .filter(entry ->
                        entry.getKey().startsWith("client-") && entry.getValue().size() > 1)
                .forEach(entry -> violations.add(entry.getKey() + " is there twice: " + entry.getValue()));
        return this;
    }

    /** Which request has made it. The server's own, which it tries itself with, is removed by the next server. */
    private static JsonNode origin(JsonNode box) {
        return box.path("name").asString().equals(TRIAL)
                ? box.path("name")
                : box.path("labels").path(MixedClient.OP);
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        Answer answer = api.send(url, Request.get(path));
        if (!answer.succeeded()) {
            violations.add(path + " was answered with " + answer);
            return Json.array();
        }
        return answer.json();
    }

    private static Map<String, List<JsonNode>> by(JsonNode all, Function<JsonNode, JsonNode> key) {
        Map<String, List<JsonNode>> found = new HashMap<>();
        all.forEach(one -> found.computeIfAbsent(key.apply(one).asString(""), _ -> new ArrayList<>())
                .add(one));
        return found;
    }

    private void expect(Journal journal, String what, List<JsonNode> found) {
        if (found.isEmpty() && !journal.isOpen(what)) {
            violations.add(what + " was acknowledged and is lost");
        }
    }

    private void compare(Journal journal, String op, Known known, JsonNode box) {
        if (!NEVER_STOPPED.contains(box.path("status").asString())) {
            violations.add(op + " was stopped: " + box);
        }
        boolean same = box.path("id").asString().equals(known.id())
                && box.path("visibility").asString().equals(known.visibility());
        boolean lasts = box.path("name").asString().equals(known.name())
                && box.path("status").asString().equals(known.status())
                && labels(box).equals(known.labels());
        if (!same || !(lasts || journal.isOpen(op))) {
            violations.add(op + " must be " + known + ", and is " + box);
        }
    }

    private static Map<String, String> labels(JsonNode box) {
        Map<String, String> labels = new HashMap<>();
        box.path("labels").forEachEntry((key, value) -> labels.put(key, value.asString()));
        return labels;
    }

    private void comparePool(MixedClient client, Map<String, List<JsonNode>> all) {
        Journal journal = client.journal();
        List<JsonNode> found = all.getOrDefault(client.name(), List.of());
        int boxes = found.isEmpty()
                ? -1
                : found.getFirst().path("pool").path("boxes").asInt(0);
        if (boxes != journal.pool && !journal.isOpen(MixedClient.POOL)) {
            violations.add("the pool of " + client.name() + " was set to " + journal.pool + " and is " + boxes);
        }
    }

    private void requireKnown(String kind, Set<String> found, Function<Journal, Set<String>> known) {
        for (String one : found) {
            boolean isKnown = clients.stream()
                    .map(MixedClient::journal)
                    .anyMatch(journal -> known.apply(journal).contains(one) || journal.isOpen(one));
            if (!isKnown) {
                violations.add("there is a " + kind + " that is nobody's: " + one);
            }
        }
    }

    /** The memory of every box; those that slept are awake afterwards. */
    StateCheck memories() throws IOException, InterruptedException {
        for (MixedClient client : clients) {
            Journal journal = client.journal();
            for (String op : List.copyOf(journal.boxes.keySet())) {
                if (journal.isOpen(op)) {
                    continue;
                }
                Known known = Objects.requireNonNull(journal.boxes.get(op));
                Answer answer = api.send(
                        url,
                        Request.post(
                                "/boxes/" + known.id() + "/exec",
                                Map.of("argv", List.of("sh", "-c", "cat " + MARK + " 2>/dev/null || echo 0"))));
                String mark = answer.succeeded()
                        ? answer.json().path("stdout").asString().strip()
                        : answer.toString();
                if (!mark.equals(Integer.toString(known.mark()))) {
                    violations.add(op + " must remember " + known.mark() + ", and says " + mark);
                }
                journal.boxes.put(op, known.in("running"));
            }
        }
        return this;
    }

    /** Every cell and every namespace is of a box that is awake, or of a machine made ahead. */
    StateCheck orphans() throws IOException, InterruptedException {
        Deadline deadline = Deadline.inSeconds(60);
        String said = counts();
        while (!said.isEmpty() && !deadline.passed()) {
            LockSupport.parkNanos(100_000_000);
            said = counts();
        }
        if (!said.isEmpty()) {
            violations.add(said);
        }
        return this;
    }

    /** Nothing if they fit; machines are made ahead all the time. */
    private String counts() throws IOException, InterruptedException {
        JsonNode status = get("/status");
        long awake = status.path("boxes").path("running").asLong(0)
                + status.path("boxes").path("standby").asLong(0);
        long machines = awake + status.path("spare_machines").asLong(0);
        long cells = entries(instance.home().resolve("cells"));
        long emulators = instance.processes().values().stream()
                .filter(line -> line.contains("qemu"))
                .count();
        boolean tries = by(get("/boxes?all=true"), StateCheck::origin).containsKey(TRIAL);
        long users = usersOf(instance.home().resolve("lock"));
        return cells == machines && emulators == machines && !tries && users == 1
                ? ""
                : machines + " machines, but " + cells + " cells and " + emulators + " processes of QEMU; " + users
                        + " processes have the home open" + (tries ? "; the server still tries one" : "");
    }

    /** How many processes have this file open: the server, and those that it is just starting. */
    private static long usersOf(Path file) throws IOException {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes.filter(process -> hasOpen(process, file)).count();
        }
    }

    private static boolean hasOpen(Path process, Path file) {
        try (Stream<Path> open = Files.list(process.resolve("fd"))) {
            for (Path one : (Iterable<Path>) open::iterator) {
                if (Files.readSymbolicLink(one).equals(file)) {
                    return true;
                }
            }
            return false;
        } catch (IOException | UncheckedIOException _) {
            // It is no process, or has just ended.
            return false;
        }
    }

    static long entries(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.count();
        }
    }
}
