package io.boxd.control;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import io.boxd.worker.KeptSnapshot;
import io.boxd.worker.SnapshotOrder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Instants of boxes that are kept, and going back to them. */
final class SnapshotVerbs {
    private final Answers answers;
    private final Shares shares;

    SnapshotVerbs(Answers answers, Shares shares) {
        this.answers = answers;
        this.shares = shares;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "snapshot save", this::save,
                "snapshot list", SnapshotVerbs::list,
                "snapshot show",
                        asked -> shown(
                                asked.boxes(),
                                asked.boxes().findSnapshot(asked.said().required("snapshot"))),
                "snapshot rm", SnapshotVerbs::remove,
                "rollback", this::rollback,
                "timeline", asked -> new Timeline(asked.boxes()).of(asked.box()));
    }

    private JsonNode save(Asked asked) {
        Optional<String> label = asked.said().text("label").map(Names::snapshot);
        Box box = asked.box();
        SnapshotOrder order = SnapshotOrder.saved(label).within(shares.of(box)).under(asked.key());
        return shown(asked.boxes(), asked.boxes().snapshot(box.id(), order, Deadline.in(Limits.SNAPSHOT)));
    }

    private static JsonNode list(Asked asked) {
        Map<String, String> names = names(asked.boxes());
        ArrayNode list = Json.array();
        for (KeptSnapshot snapshot : asked.boxes().snapshots(asked.said().text("box"))) {
            list.add(Answers.snapshot(snapshot, names));
        }
        return list;
    }

    private static JsonNode shown(Boxes boxes, KeptSnapshot snapshot) {
        return Answers.snapshot(snapshot, names(boxes));
    }

    private static Map<String, String> names(Boxes boxes) {
        return boxes.list().stream().collect(Collectors.toMap(Box::id, Box::name));
    }

    private static JsonNode remove(Asked asked) {
        KeptSnapshot snapshot = asked.boxes().findSnapshot(asked.said().required("snapshot"));
        asked.boxes().forgetSnapshot(snapshot.id());
        ObjectNode answer = Json.object();
        answer.putArray("deleted").add(snapshot.id());
        return answer;
    }

    private JsonNode rollback(Asked asked) {
        Boxes boxes = asked.boxes();
        Parameters said = asked.said();
        said.notBoth("snapshot", "before");
        Box box = asked.box();
        String target = said.text("before")
                .map(execution -> takenBefore(boxes, box, execution))
                .or(() -> said.text("snapshot"))
                .orElseThrow(() -> said.missing("snapshot", "Say a snapshot, or --before with an execution."));
        long began = System.nanoTime();
        KeptSnapshot left = boxes.rollback(box.id(), target, Deadline.in(Limits.MOVE));
        ObjectNode answer = answers.box(boxes.find(box.id()));
        answer.set("left_snapshot", shown(boxes, left));
        answer.put("took_ms", (System.nanoTime() - began) / 1_000_000);
        return answer;
    }

    private static String takenBefore(Boxes boxes, Box box, String execution) {
        List<KeptSnapshot> taken = boxes.snapshots(Optional.of(box.id())).stream()
                .filter(snapshot -> snapshot.execution()
                        .filter(id -> ExecutionNames.matches(id, execution))
                        .isPresent())
                .toList();
        if (taken.isEmpty()) {
            throw Failures.notFound(
                    "no snapshot of " + box.name() + " was taken before " + Printable.line(execution),
                    "Run commands with --checkpoint, or make the box with --checkpoint-every exec.");
        }
        if (taken.stream().map(KeptSnapshot::execution).distinct().count() > 1) {
            throw Failures.invalid("several executions begin like " + Printable.line(execution), "Say more of the id.");
        }
        return taken.getLast().id();
    }
}
