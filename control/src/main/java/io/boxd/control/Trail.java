package io.boxd.control;

import io.boxd.chronicle.Audit;
import io.boxd.chronicle.Deed;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.Verb;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes down who did what: the verb and what it was about, how it ended and how long it took.
 *
 * <p>Of what was said only ids and names of things are kept, field by field: nothing gets into the audit because
 * somebody added a parameter. The commands of executions are not kept, nor paths of files: both carry secrets.
 */
final class Trail {
    /** Fields that name what a verb is about besides boxes. */
    private static final List<String> SUBJECTS =
            List.of("snapshot", "webhook", "user", "org", "name", "from", "before");

    /** Which deeds are written down, and who waits for that. */
    private enum Manner {
        /** It changes something: waits for room. */
        SURELY,
        /** Commands and their streams: never waits. */
        IF_ROOM,
        /** It only looks: not worth an entry unless it was not allowed. */
        IF_REFUSED
    }

    /** A box that a deed is about, as far as it is known. */
    private record Target(Optional<String> id, Optional<String> name) {}

    private static final Target NOTHING = new Target(Optional.empty(), Optional.empty());
    private static final String BOX = "bx_";
    /** Of one deed; nobody has more. */
    private static final int MOST_BOXES = 2000;

    /** What came of it that is worth an entry. */
    record Traces(Optional<String> execution, List<String> boxes, Optional<String> subject) {
        static Traces none() {
            return new Traces(Optional.empty(), List.of(), Optional.empty());
        }

        static Traces of(ExecutionStream stream) {
            return new Traces(Optional.of(stream.execution()), List.of(), Optional.empty());
        }

        /** What an answer tells: ids of boxes and snapshots, never more. */
        static Traces of(JsonNode answer) {
            List<String> boxes = new ArrayList<>();
            answer.path("destroyed").forEach(id -> boxes.add(id.asString("")));
            Optional<String> made = id(answer);
            if (answer.isArray()) {
                List<String> all = new ArrayList<>();
                answer.forEach(each -> id(each).ifPresent(all::add));
                made = all.isEmpty() ? Optional.empty() : Optional.of(String.join(",", all));
            }
            return new Traces(text(answer, "exec_id"), boxes, made);
        }

        private static Optional<String> id(JsonNode answer) {
            return text(answer, "id");
        }

        private static Optional<String> text(JsonNode answer, String field) {
            return Optional.ofNullable(answer.path(field).asString(null));
        }
    }

    private final Audit audit;
    private final Boxes boxes;

    Trail(Audit audit, Boxes boxes) {
        this.audit = audit;
        this.boxes = boxes;
    }

    private static Manner manner(Verb verb) {
        return switch (verb.route().method()) {
            case POST, PATCH, PUT, DELETE -> Manner.SURELY;
            case SOCKET -> Manner.IF_ROOM;
            case GET, DOOR, LOCAL -> Manner.IF_REFUSED;
        };
    }

    /** Does something that a verb says. */
    <T> T of(Caller caller, Verb verb, ObjectNode said, Supplier<T> work, Function<T, Traces> traces) {
        List<Target> targets = targets(said);
        Optional<String> execution = Optional.ofNullable(said.path("exec_id").asString(null));
        Optional<String> subject = subject(said);
        return written(caller, verb.name(), manner(verb), targets, execution, subject, work, traces);
    }

    /** Does something with files in a box. */
    <T> T ofFiles(Caller caller, String what, boolean changes, String box, Supplier<T> work) {
        return ofBox(caller, what, changes ? Manner.SURELY : Manner.IF_ROOM, box, work);
    }

    /** Opens a way into a box or out of it. */
    <T> T ofLine(Caller caller, String what, String box, Supplier<T> work) {
        return ofBox(caller, what, Manner.IF_ROOM, box, work);
    }

    private <T> T ofBox(Caller caller, String what, Manner manner, String box, Supplier<T> work) {
        List<Target> targets = List.of(target(box));
        return written(caller, what, manner, targets, Optional.empty(), Optional.empty(), work, _ -> Traces.none());
    }

    /** Somebody comes in, or tries to. */
    <T> T ofEntrance(Caller caller, String what, Supplier<T> work) {
        return written(
                caller, what, Manner.IF_ROOM, List.of(), Optional.empty(), Optional.empty(), work, _ -> Traces.none());
    }

    /** Somebody was turned away before it was clear who he is. */
    void refused(Caller caller, String what, BoxdException failure) {
        audit.note(deed(
                caller,
                Printable.line(what),
                NOTHING,
                Optional.empty(),
                Optional.empty(),
                failure.code().wireName(),
                Instant.now(),
                0));
    }

    /** The same, of whom there were too many for an entry each. */
    void refusedOften() {
        audit.omit();
    }

    private <T> T written(
            Caller caller,
            String verb,
            Manner manner,
            List<Target> targets,
            Optional<String> execution,
            Optional<String> subject,
            Supplier<T> work,
            Function<T, Traces> traces) {
        Instant at = Instant.now();
        long start = System.nanoTime();
        String outcome = ErrorCode.INTERNAL.wireName();
        Traces left = Traces.none();
        try {
            T done = CurrentRequest.during(caller, work);
            left = traces.apply(done);
            outcome = Deed.OK;
            return done;
        } catch (BoxdException e) {
            outcome = e.code().wireName();
            throw e;
        } finally {
            long millis = (System.nanoTime() - start) / 1_000_000;
            for (Target target : all(targets, left)) {
                Deed deed = deed(
                        caller,
                        verb,
                        target,
                        left.execution().or(() -> execution),
                        left.subject()
                                .filter(id -> !target.id().equals(Optional.of(id)))
                                .or(() -> subject),
                        outcome,
                        at,
                        millis);
                note(manner, deed);
            }
        }
    }

    private void note(Manner manner, Deed deed) {
        switch (manner) {
            case SURELY -> audit.noteSurely(deed);
            case IF_ROOM -> audit.note(deed);
            case IF_REFUSED -> {
                if (deed.outcome().equals(ErrorCode.PERMISSION_DENIED.wireName())
                        || deed.outcome().equals(ErrorCode.UNAUTHENTICATED.wireName())) {
                    audit.note(deed);
                }
            }
        }
    }

    /** An entry for each box; one that was made, or that went with another, is known only afterwards. */
    private List<Target> all(List<Target> said, Traces left) {
        List<Target> all = new ArrayList<>(said);
        for (String id : left.boxes()) {
            if (said.stream().noneMatch(target -> target.id().equals(Optional.of(id)))) {
                all.add(new Target(Optional.of(id), Optional.empty()));
            }
        }
        if (all.isEmpty()) {
            Optional<String> made = left.subject().filter(id -> id.startsWith(BOX));
            all.add(made.map(this::target).orElse(NOTHING));
        }
        return all;
    }

    private List<Target> targets(ObjectNode said) {
        List<Target> targets = new ArrayList<>();
        if (said.path("box").isString()) {
            targets.add(target(said.path("box").asString()));
        }
        said.path("boxes").valueStream().limit(MOST_BOXES).forEach(box -> targets.add(target(box.asString(""))));
        return targets;
    }

    private Target target(String said) {
        try {
            Box box = boxes.find(said);
            return new Target(Optional.of(box.id()), Optional.of(box.name()));
        } catch (BoxdException e) {
            // There is none, which the verb itself will tell; what was asked for is still of interest.
            return new Target(Optional.empty(), Optional.of(Printable.line(said)));
        }
    }

    private static Optional<String> subject(ObjectNode said) {
        return SUBJECTS.stream()
                .map(field -> said.path(field).asString(""))
                .filter(text -> !text.isEmpty())
                .map(text -> Printable.line(text))
                .findFirst();
    }

    private static Deed deed(
            Caller caller,
            String verb,
            Target target,
            Optional<String> execution,
            Optional<String> subject,
            String outcome,
            Instant at,
            long millis) {
        return new Deed(
                at,
                caller.account(),
                caller.token(),
                caller.door(),
                caller.remote(),
                caller.request(),
                verb,
                target.id(),
                target.name(),
                execution.map(Printable::line),
                subject,
                outcome,
                millis);
    }
}
