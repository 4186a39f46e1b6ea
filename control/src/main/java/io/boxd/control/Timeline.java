package io.boxd.control;

import io.boxd.common.Json;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import io.boxd.worker.KeptSnapshot;
import io.boxd.worker.Origination;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The tree that a box stands in: the boxes it descends from and those that descend from it, with their snapshots.
 *
 * <p>A box hangs on what it was made from; a snapshot on the one that its box came from, or on its box.
 */
final class Timeline {
    private final Map<String, Box> boxes = new HashMap<>();
    private final Map<String, KeptSnapshot> snapshots = new HashMap<>();

    Timeline(Boxes source) {
        source.list().forEach(box -> boxes.put(box.id(), box));
        source.snapshots(Optional.empty()).forEach(snapshot -> snapshots.put(snapshot.id(), snapshot));
    }

    private record Node(String id, Optional<String> parent, Instant time, ObjectNode json) {}

    ObjectNode of(Box box) {
        Map<String, Node> nodes = new HashMap<>();
        boxes.values().forEach(each -> nodes.put(each.id(), node(each, each.id().equals(box.id()))));
        snapshots.values().forEach(each -> nodes.put(each.id(), node(each)));
        String root = root(box.id(), nodes);
        ObjectNode answer = Json.object().put("box", box.id());
        ArrayNode list = answer.putArray("nodes");
        nodes.values().stream()
                .filter(node -> root(node.id(), nodes).equals(root))
                .sorted(Comparator.comparing(Node::time).thenComparing(Node::id))
                .forEach(node -> list.add(node.json()));
        return answer;
    }

    private static String root(String id, Map<String, Node> nodes) {
        Set<String> seen = new HashSet<>();
        List<String> path = new ArrayList<>(List.of(id));
        while (seen.add(path.getLast())) {
            Node node = nodes.get(path.getLast());
            if (node == null || node.parent().isEmpty()) {
                break;
            }
            path.add(node.parent().get());
        }
        return path.getLast();
    }

    private Node node(Box box, boolean current) {
        Optional<String> parent = switch (box.origin()) {
            case Origination.FromImage(String _) -> Optional.<String>empty();
            case Origination.FromSnapshot(String id) -> Optional.of(id).filter(snapshots::containsKey);
            case Origination.FromBox(String id) -> Optional.of(id).filter(boxes::containsKey);
        };
        ObjectNode json = common("box", box.id(), parent, box.createdAt());
        json.put("name", box.name());
        json.put("status", box.status().wireName());
        json.put("current", current);
        return new Node(box.id(), parent, box.createdAt(), json);
    }

    private Node node(KeptSnapshot snapshot) {
        Optional<String> parent = snapshot.parent()
                .filter(snapshots::containsKey)
                .or(() -> Optional.of(snapshot.box()).filter(boxes::containsKey));
        ObjectNode json = common("snapshot", snapshot.id(), parent, snapshot.createdAt());
        json.put("label", snapshot.label().orElse(null));
        json.put("cause", Answers.cause(snapshot));
        json.put("command", snapshot.command().orElse(null));
        json.put("exec_id", snapshot.execution().orElse(null));
        return new Node(snapshot.id(), parent, snapshot.createdAt(), json);
    }

    /** Every node has every field. */
    private static ObjectNode common(String kind, String id, Optional<String> parent, Instant time) {
        ObjectNode json = Json.object();
        json.put("kind", kind);
        json.put("id", id);
        json.putNull("name");
        json.putNull("label");
        json.put("parent", parent.orElse(null));
        json.putNull("cause");
        json.putNull("command");
        json.putNull("exec_id");
        json.put("created_at", Answers.time(time));
        json.putNull("status");
        json.put("current", false);
        return json;
    }
}
