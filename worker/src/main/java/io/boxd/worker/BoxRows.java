package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * All rows of the record of boxes at one moment.
 *
 * @param boxes by id, in the order in which they were asked for
 * @param snapshots by id, in the order in which they were kept
 * @param keys of requests that may be repeated
 * @param hostBoot under which boot of the host the last server started
 */
record BoxRows(Map<String, BoxRow> boxes, Map<String, KeptRow> snapshots, Map<String, KeyRow> keys, String hostBoot) {
    BoxRows {
        boxes = Collections.unmodifiableMap(new LinkedHashMap<>(boxes));
        snapshots = Collections.unmodifiableMap(new LinkedHashMap<>(snapshots));
        keys = Collections.unmodifiableMap(new TreeMap<>(keys));
    }

    static BoxRows none() {
        return new BoxRows(Map.of(), Map.of(), Map.of(), "");
    }

    static BoxRows of(List<BoxRow> boxes, List<KeptRow> snapshots, List<KeyRow> keys, String hostBoot) {
        Map<String, BoxRow> byId = new LinkedHashMap<>();
        boxes.stream().sorted(Comparator.comparingLong(BoxRow::number)).forEach(row -> byId.put(row.id(), row));
        Map<String, KeptRow> kept = new LinkedHashMap<>();
        snapshots.stream().sorted(Comparator.comparingLong(KeptRow::number)).forEach(row -> kept.put(row.id(), row));
        Map<String, KeyRow> requests = new TreeMap<>();
        keys.forEach(row -> requests.put(row.id(), row));
        return new BoxRows(byId, kept, requests, hostBoot);
    }

    BoxRow box(String id) {
        BoxRow row = boxes.get(id);
        if (row == null) {
            throw new BoxdException(ErrorCode.NOT_FOUND, "there is no box " + id, "See them all: boxd list.", null);
        }
        return row;
    }

    Optional<BoxRow> named(String name) {
        return boxes.values().stream().filter(row -> row.name().equals(name)).findFirst();
    }

    /** By id or label. */
    KeptRow snapshot(String snapshot) {
        KeptRow row = snapshots.get(snapshot);
        if (row != null) {
            return row;
        }
        return snapshots.values().stream()
                .filter(kept -> kept.snapshot().label().equals(Optional.of(snapshot)))
                .findFirst()
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.NOT_FOUND,
                        "there is no snapshot " + snapshot,
                        "See them all: boxd snapshot list.",
                        null));
    }

    /** What this request has made before, if it was made; another one under the same key is refused. */
    Optional<KeyRow> before(Optional<RequestKey> key) {
        Optional<KeyRow> found = key.map(RequestKey::id).map(keys::get);
        if (found.isPresent() && !found.get().key().equals(key.get())) {
            throw key.get().usedOtherwise();
        }
        return found;
    }

    List<KeptRow> snapshotsOf(String box) {
        return snapshots.values().stream().filter(row -> row.box().equals(box)).toList();
    }

    /** Whether anybody has kept this snapshot of the engine. */
    boolean keeps(String instant) {
        return snapshots.values().stream().anyMatch(row -> row.instant().equals(instant));
    }

    /** A box and all that were forked from it, or from those. */
    List<String> tree(String id) {
        List<String> all = new ArrayList<>(List.of(id));
        for (int i = 0; i < all.size(); i++) {
            String parent = all.get(i);
            boxes.values().stream()
                    .filter(row -> row.forkedFrom().equals(Optional.of(parent)) && !all.contains(row.id()))
                    .forEach(row -> all.add(row.id()));
        }
        return all;
    }

    long nextBoxNumber() {
        return boxes.values().stream().mapToLong(BoxRow::number).max().orElse(0) + 1;
    }

    long nextSnapshotNumber() {
        return snapshots.values().stream().mapToLong(KeptRow::number).max().orElse(0) + 1;
    }

    /** The rows after these changes. */
    BoxRows after(List<RowChange> changes) {
        Map<String, BoxRow> nextBoxes = new LinkedHashMap<>(boxes);
        Map<String, KeptRow> nextSnapshots = new LinkedHashMap<>(snapshots);
        Map<String, KeyRow> nextKeys = new TreeMap<>(keys);
        String boot = hostBoot;
        for (RowChange change : changes) {
            switch (change) {
                case RowChange.PutBox(BoxRow row) -> nextBoxes.put(row.id(), row);
                case RowChange.DropBox(String id) -> nextBoxes.remove(id);
                case RowChange.PutSnapshot(KeptRow row) -> nextSnapshots.put(row.id(), row);
                case RowChange.DropSnapshot(String id) -> nextSnapshots.remove(id);
                case RowChange.PutBoot(String id) -> boot = id;
                case RowChange.PutKey(KeyRow row) -> nextKeys.put(row.id(), row);
                case RowChange.DropKey(String id) -> nextKeys.remove(id);
            }
        }
        return new BoxRows(nextBoxes, nextSnapshots, nextKeys, boot);
    }

    /** In the order of the names, so that the same rows are also the same text. */
    static Map<String, String> sorted(Map<String, String> named) {
        return Collections.unmodifiableMap(new TreeMap<>(named));
    }
}
