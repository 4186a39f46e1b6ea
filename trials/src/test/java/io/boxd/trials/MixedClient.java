package io.boxd.trials;

import io.boxd.trials.Api.Answer;
import io.boxd.trials.Api.Request;
import io.boxd.trials.Journal.Known;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * A client that does one random thing after the other, and writes down what the server has acknowledged.
 *
 * <p>A request without an answer is said again, under the same key if it makes something, until there is one.
 */
final class MixedClient {
    static final String OP = "op";
    static final String POOL = "pool";
    private static final int MOST_BOXES = 2;
    private static final int MOST_SNAPSHOTS = 1;
    private static final int MOST_TOKENS = 2;
    private static final int POOL_CPUS = 100;
    private static final long POOL_BYTES = 100L << 30;
    private static final int NOT_FOUND = 404;

    private final String name;
    private final Random random;
    private final Door door;
    private final Api api;
    private final Journal journal = new Journal();
    private int made;
    private int repeated;

    MixedClient(String name, long seed, Door door, Api api) {
        this.name = name;
        this.random = new Random(seed);
        this.door = door;
        this.api = api;
    }

    String name() {
        return name;
    }

    Journal journal() {
        return journal;
    }

    int repeated() {
        return repeated;
    }

    /** Works until the door is about to be closed for good. */
    void work() throws InterruptedException {
        while (!door.isEnding()) {
            act();
        }
    }

    private void act() throws InterruptedException {
        switch (random.nextInt(13)) {
            case 0, 1 -> create();
            case 2, 3 -> fork();
            case 4 -> rename();
            case 5 -> label();
            case 6 -> mark();
            case 7, 8 -> sleepOrWake();
            case 9 -> snapshot();
            case 10 -> token();
            case 11 -> pool();
            default -> destroy();
        }
    }

    /** Says it until it is answered; by then it is done, and once. */
    private JsonNode ask(String touched, Request request) throws InterruptedException {
        journal.begin(Set.of(touched));
        for (Optional<JsonNode> answer = once(request, false); ; answer = once(request, true)) {
            if (answer.isPresent()) {
                return answer.get();
            }
            repeated++;
        }
    }

    /** Nothing if the server ended before it answered. */
    private Optional<JsonNode> once(Request request, boolean again) throws InterruptedException {
        String url = door.enter();
        try {
            Answer answer = api.send(url, request);
            boolean goneAlready = again && answer.status() == NOT_FOUND && removes(request);
            if (!answer.succeeded() && !goneAlready) {
                throw new AssertionError(name + ": " + request + " was answered with " + answer);
            }
            return Optional.of(answer.json());
        } catch (IOException e) {
            if (!door.isShut()) {
                throw new AssertionError(name + ": " + request + " was not answered by a server that lives", e);
            }
            return Optional.empty();
        }
    }

    private static boolean removes(Request request) {
        return request.method().equals("DELETE") || request.path().equals("/destroy");
    }

    private String fresh() {
        return name + "-" + made++;
    }

    private Optional<String> any() {
        List<String> all = List.copyOf(journal.boxes.keySet());
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }

    private Known known(String op) {
        return Objects.requireNonNull(journal.boxes.get(op), op);
    }

    private String path(String op, String verb) {
        return "/boxes/" + known(op).id() + "/" + verb;
    }

    private void change(String op, Known now) {
        journal.boxes.put(op, now);
        journal.acknowledge();
    }

    private void create() throws InterruptedException {
        if (journal.boxes.size() >= MOST_BOXES) {
            return;
        }
        String op = fresh();
        boolean shared = random.nextBoolean();
        Map<String, Object> order = new HashMap<>(Map.of("name", op, "labels", Map.of(OP, op)));
        if (shared) {
            order.putAll(Map.of("org", name, "shared", true));
        }
        JsonNode box = ask(op, Request.post("/boxes", order).under(op));
        change(op, knownFrom(box, op, shared ? "shared" : "private", 0));
        mark(op);
    }

    private static Known knownFrom(JsonNode box, String op, String visibility, int mark) {
        return new Known(box.path("id").asString(), op, Map.of(OP, op), "running", visibility, mark);
    }

    private void fork() throws InterruptedException {
        Optional<String> source = any();
        if (source.isEmpty() || journal.boxes.size() >= MOST_BOXES) {
            return;
        }
        String op = fresh();
        Map<String, ?> order = Map.of("name", op, "labels", Map.of(OP, op));
        JsonNode box = ask(op, Request.post(path(source.get(), "fork"), order).under(op));
        change(op, knownFrom(box, op, "private", known(source.get()).mark()));
    }

    private void rename() throws InterruptedException {
        Optional<String> op = any();
        if (op.isPresent()) {
            String next = fresh();
            ask(op.get(), Request.post(path(op.get(), "rename"), Map.of("name", next)));
            change(op.get(), known(op.get()).renamed(next));
        }
    }

    private void label() throws InterruptedException {
        Optional<String> op = any();
        if (op.isPresent()) {
            String value = fresh();
            ask(op.get(), Request.post(path(op.get(), "label"), Map.of("labels", Map.of("turn", value))));
            change(op.get(), known(op.get()).labelled("turn", value));
        }
    }

    private void mark() throws InterruptedException {
        Optional<String> op = any();
        if (op.isPresent()) {
            mark(op.get());
        }
    }

    private void mark(String op) throws InterruptedException {
        int value = 1 + random.nextInt(1_000_000);
        JsonNode done = ask(
                op,
                Request.post(
                        path(op, "exec"),
                        Map.of("argv", List.of("sh", "-c", "echo " + value + " > " + StateCheck.MARK))));
        if (done.path("exit_code").asInt(-1) != 0) {
            throw new AssertionError(name + ": a command in " + op + " ended so: " + done);
        }
        change(op, known(op).marked(value).in("running"));
    }

    private void sleepOrWake() throws InterruptedException {
        Optional<String> op = any();
        if (op.isEmpty()) {
            return;
        }
        boolean sleeps = known(op.get()).status().equals("running");
        boolean deep = random.nextBoolean();
        String verb = sleeps ? (deep ? "hibernate" : "pause") : "wake";
        String after = sleeps ? (deep ? "hibernated" : "standby") : "running";
        ask(op.get(), Request.post(path(op.get(), verb), Map.of()));
        change(op.get(), known(op.get()).in(after));
    }

    private void snapshot() throws InterruptedException {
        Optional<String> op = any();
        if (journal.snapshots.size() >= MOST_SNAPSHOTS) {
            String label = journal.snapshots.keySet().iterator().next();
            ask(label, Request.delete("/snapshots/" + journal.snapshots.get(label)));
            journal.snapshots.remove(label);
            journal.acknowledge();
        } else if (op.isPresent()) {
            String label = fresh();
            JsonNode kept = ask(
                    label,
                    Request.post(path(op.get(), "snapshots"), Map.of("label", label))
                            .under(label));
            journal.snapshots.put(label, kept.path("id").asString());
            journal.acknowledge();
        }
    }

    private void token() throws InterruptedException {
        if (journal.tokens.size() >= MOST_TOKENS) {
            String note = journal.tokens.keySet().iterator().next();
            ask(note, Request.delete("/tokens/" + journal.tokens.get(note)));
            journal.tokens.remove(note);
        } else {
            String note = fresh();
            Request request = Request.post("/tokens", Map.of("note", note, "read_only", true));
            journal.tokens.put(note, ask(note, request.under(note)).path("id").asString());
        }
        journal.acknowledge();
    }

    private void pool() throws InterruptedException {
        int boxes = 10 + random.nextInt(1000);
        Map<String, ?> size = Map.of("boxes", boxes, "cpus", POOL_CPUS, "memory_bytes", POOL_BYTES);
        ask(POOL, Request.post("/organisations/" + name + "/pool", size));
        journal.pool = boxes;
        journal.acknowledge();
    }

    private void destroy() throws InterruptedException {
        Optional<String> op = any();
        if (op.isPresent()) {
            ask(
                    op.get(),
                    Request.post(
                            "/destroy", Map.of("boxes", List.of(known(op.get()).id()))));
            journal.boxes.remove(op.get());
            journal.acknowledge();
        }
    }
}
