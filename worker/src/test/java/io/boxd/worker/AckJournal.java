package io.boxd.worker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a server has acknowledged, as those who asked it know it, and what it was doing when it ended. */
final class AckJournal {
    /** Running machines and the mark that each must have. */
    final Map<String, Integer> machines = new HashMap<>();

    /** Snapshots and the mark that each must have. */
    final Map<String, Integer> snapshots = new HashMap<>();

    /** The last thing begun and not acknowledged. */
    private List<String> pending = List.of();

    /** The marks of hibernated machines are those of their snapshots. */
    void line(String line) {
        List<String> words = List.of(line.split(" ", -1));
        switch (words.getFirst()) {
            case "begin" -> {
                pending = words.subList(1, words.size());
                return;
            }
            case "new" -> machines.put(words.get(1), 0);
            case "mark" -> machines.put(words.get(1), Integer.valueOf(words.get(2)));
            case "fork" -> machines.put(words.get(2), mark(words.get(1)));
            case "snapshot" -> snapshots.put(words.get(2), mark(words.get(1)));
            case "hibernate" -> {
                snapshots.put(words.get(2), mark(words.get(1)));
                machines.remove(words.get(1));
            }
            case "wake", "rollback" -> machines.put(words.get(1), snapshots.getOrDefault(words.get(2), 0));
            case "destroy" -> machines.remove(words.get(1));
            case "forget" -> snapshots.remove(words.get(1));
            default -> {
                return;
            }
        }
        pending = List.of();
    }

    private int mark(String machine) {
        return machines.getOrDefault(machine, 0);
    }

    /** Whether the server was doing something with this machine or snapshot, so that it may be in either state. */
    boolean pendingTouches(String id) {
        return pending.contains(id);
    }

    boolean pending(String operation) {
        return !pending.isEmpty() && pending.getFirst().equals(operation);
    }

    /** Takes what was found as the truth from here on: what was not acknowledged may be either way. */
    void settle(Map<String, Integer> foundMachines, Map<String, Integer> foundSnapshots) {
        machines.clear();
        machines.putAll(foundMachines);
        snapshots.clear();
        snapshots.putAll(foundSnapshots);
        pending = List.of();
    }

    @Override
    public String toString() {
        return "machines " + machines + ", snapshots " + snapshots + ", pending " + pending;
    }
}
