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
    private final Boxes boxes;
    private final Answers answers;

    SnapshotVerbs(Boxes boxes, Answers answers) {
        this.boxes = boxes;
        this.answers = answers;
    }

    Map<String, Handler> handlers() {
        return Map.of(
                "snapshot save", this::save,
                "snapshot list", this::list,
                "snapshot show", said -> shown(boxes.findSnapshot(said.required("snapshot"))),
                "snapshot rm", this::remove,
                "rollback", this::rollback,
                "timeline", said -> new Timeline(boxes).of(boxes.find(said.required("box"))));
    }

    private JsonNode save(Parameters said) {
        Optional<String> label = said.text("label").map(Names::snapshot);
        SnapshotOrder order = SnapshotOrder.saved(label).under(said.key());
        return shown(boxes.snapshot(said.required("box"), order, Deadline.in(Limits.SNAPSHOT)));
    }

    private JsonNode list(Parameters said) {
        Map<String, String> names = names();
        ArrayNode list = Json.array();
        for (KeptSnapshot snapshot : boxes.snapshots(said.text("box"))) {
            list.add(Answers.snapshot(snapshot, names));
        }
        return list;
    }

    private JsonNode shown(KeptSnapshot snapshot) {
        return Answers.snapshot(snapshot, names());
    }

    private Map<String, String> names() {
        return boxes.list().stream().collect(Collectors.toMap(Box::id, Box::name));
    }

    private JsonNode remove(Parameters said) {
        KeptSnapshot snapshot = boxes.findSnapshot(said.required("snapshot"));
        boxes.forgetSnapshot(snapshot.id());
        ObjectNode answer = Json.object();
        answer.putArray("deleted").add(snapshot.id());
        return answer;
    }

    private JsonNode rollback(Parameters said) {
        said.notBoth("snapshot", "before");
        Box box = boxes.find(said.required("box"));
        String target = said.text("before")
                .map(execution -> takenBefore(box, execution))
                .or(() -> said.text("snapshot"))
                .orElseThrow(() -> said.missing("snapshot", "Say a snapshot, or --before with an execution."));
        long began = System.nanoTime();
        KeptSnapshot left = boxes.rollback(box.id(), target, Deadline.in(Limits.MOVE));
        ObjectNode answer = answers.box(boxes.find(box.id()));
        answer.set("left_snapshot", shown(left));
        answer.put("took_ms", (System.nanoTime() - began) / 1_000_000);
        return answer;
    }

    private String takenBefore(Box box, String execution) {
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
