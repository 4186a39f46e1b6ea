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
 * <p>Everything hangs on the state that it came from: a snapshot on the one that its box came from then, a box on the
 * one that it comes from now. What came from no snapshot hangs on the box that its own was copied from.
 */
final class Timeline {
    private final Map<String, Box> boxes = new HashMap<>();
    private final Map<String, KeptSnapshot> snapshots = new HashMap<>();

    Timeline(Boxes source) {
        source.list().forEach(box -> boxes.put(box.id(), box));
        source.snapshots(Optional.empty()).forEach(snapshot -> snapshots.put(snapshot.id(), snapshot));
    }

    private record Node(String id, Instant time, ObjectNode json) {}

    ObjectNode of(Box box) {
        List<Node> nodes = new ArrayList<>();
        boxes.values().forEach(each -> nodes.add(node(each, each.id().equals(box.id()))));
        snapshots.values().forEach(each -> nodes.add(node(each)));
        nodes.sort(Comparator.comparing(Node::time).thenComparing(Node::id));
        Map<String, String> parents = parents(nodes);
        Set<String> family = family(box.id(), parents);
        ObjectNode answer = Json.object().put("box", box.id());
        ArrayNode list = answer.putArray("nodes");
        nodes.stream()
                .filter(node -> family.contains(node.id()))
                .forEach(node -> list.add(node.json().put("parent", parents.get(node.id()))));
        return answer;
    }

    /**
     * Snapshots first: they say which state came from which. A box that was made what a copy of it had become would
     * hang on itself by way of the copy, so what comes later in that circle hangs on nothing.
     */
    private Map<String, String> parents(List<Node> nodes) {
        Map<String, String> parents = new HashMap<>();
        boxes.values()
                .forEach(box -> box.cameFrom()
                        .filter(snapshots::containsKey)
                        .ifPresent(snapshot -> parents.put(box.id(), snapshot)));
        snapshots
                .values()
                .forEach(snapshot -> snapshot.parent()
                        .filter(snapshots::containsKey)
                        .ifPresent(parent -> parents.put(snapshot.id(), parent)));
        for (Node node : nodes) {
            if (!parents.containsKey(node.id())) {
                source(node.id())
                        .filter(source -> !root(source, parents).equals(node.id()))
                        .ifPresent(source -> parents.put(node.id(), source));
            }
        }
        return parents;
    }

    /** What the box with this id was made from, or the box that the snapshot with this id is of. */
    private Optional<String> source(String id) {
        KeptSnapshot snapshot = snapshots.get(id);
        Box box = boxes.get(snapshot == null ? id : snapshot.box());
        if (box == null) {
            return Optional.empty();
        }
        return switch (box.origin()) {
            case Origination.FromImage(String _) -> Optional.empty();
            case Origination.FromSnapshot(String source) -> Optional.of(source).filter(snapshots::containsKey);
            case Origination.FromBox(String source) -> Optional.of(source).filter(boxes::containsKey);
        };
    }

    /** All that hangs together, also by being a snapshot of a box of it. */
    private Set<String> family(String id, Map<String, String> parents) {
        Map<String, List<String>> related = new HashMap<>();
        parents.forEach((child, parent) -> relate(related, child, parent));
        snapshots.values().stream()
                .filter(snapshot -> boxes.containsKey(snapshot.box()))
                .forEach(snapshot -> relate(related, snapshot.id(), snapshot.box()));
        List<String> found = new ArrayList<>(List.of(id));
        Set<String> family = new HashSet<>(found);
        for (int i = 0; i < found.size(); i++) {
            related.getOrDefault(found.get(i), List.of()).stream()
                    .filter(family::add)
                    .forEach(found::add);
        }
        return family;
    }

    private static void relate(Map<String, List<String>> related, String one, String other) {
        related.computeIfAbsent(one, _ -> new ArrayList<>()).add(other);
        related.computeIfAbsent(other, _ -> new ArrayList<>()).add(one);
    }

    private static String root(String id, Map<String, String> parents) {
        String at = id;
        for (String parent = parents.get(at); parent != null; parent = parents.get(at)) {
            at = parent;
        }
        return at;
    }

    private static Node node(Box box, boolean current) {
        ObjectNode json = common("box", box.id(), box.createdAt());
        json.put("name", box.name());
        json.put("status", box.status().wireName());
        json.put("current", current);
        return new Node(box.id(), box.createdAt(), json);
    }

    private static Node node(KeptSnapshot snapshot) {
        ObjectNode json = common("snapshot", snapshot.id(), snapshot.createdAt());
        json.put("label", snapshot.label().orElse(null));
        json.put("cause", Answers.cause(snapshot));
        json.put("command", snapshot.command().orElse(null));
        json.put("exec_id", snapshot.execution().orElse(null));
        return new Node(snapshot.id(), snapshot.createdAt(), json);
    }

    /** Every node has every field. */
    private static ObjectNode common(String kind, String id, Instant time) {
        ObjectNode json = Json.object();
        json.put("kind", kind);
        json.put("id", id);
        json.putNull("name");
        json.putNull("label");
        json.putNull("parent");
        json.putNull("cause");
        json.putNull("command");
        json.putNull("exec_id");
        json.put("created_at", Answers.time(time));
        json.putNull("status");
        json.put("current", false);
        return json;
    }
}
