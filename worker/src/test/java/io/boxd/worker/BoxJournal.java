package io.boxd.worker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a server has acknowledged of its boxes, and what it was doing when it ended. */
final class BoxJournal {
    /** Boxes by name, and the mark that each has in its memory. */
    final Map<String, Integer> boxes = new HashMap<>();

    /** Snapshots by label, and the mark that each holds. */
    final Map<String, Integer> snapshots = new HashMap<>();

    private List<String> pending = List.of();
    private int acknowledged;

    void line(String line) {
        List<String> words = List.of(line.split(" ", -1));
        switch (words.getFirst()) {
            case "begin" -> {
                pending = words.subList(1, words.size());
                return;
            }
            case "new" -> boxes.put(words.get(1), 0);
            case "mark" -> boxes.put(words.get(1), Integer.valueOf(words.get(2)));
            case "fork" -> boxes.put(words.get(2), boxes.getOrDefault(words.get(1), 0));
            case "snapshot" -> snapshots.put(words.get(2), boxes.getOrDefault(words.get(1), 0));
            case "rollback" -> boxes.put(words.get(1), snapshots.getOrDefault(words.get(2), 0));
            case "promote" -> boxes.put(words.get(2), boxes.remove(words.get(1)));
            case "destroy" -> boxes.remove(words.get(1));
            case "forget" -> snapshots.remove(words.get(1));
            case "move" -> {
                // Marks stay.
            }
            default -> throw new AssertionError("the server said: " + line);
        }
        acknowledged++;
        pending = List.of();
    }

    int acknowledged() {
        return acknowledged;
    }

    /** Whether it was doing something with this box or snapshot that may have happened or not. */
    boolean isOpen(String name) {
        return pending.contains(name) && !pending.getFirst().equals("move");
    }

    /** Takes what was found as the truth: what was not acknowledged may be either way. */
    void settle(Map<String, Integer> foundBoxes, Map<String, Integer> foundSnapshots) {
        boxes.clear();
        boxes.putAll(foundBoxes);
        snapshots.clear();
        snapshots.putAll(foundSnapshots);
        pending = List.of();
    }

    @Override
    public String toString() {
        return "boxes " + boxes + ", snapshots " + snapshots + ", pending " + pending;
    }
}
