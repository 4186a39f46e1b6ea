package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** All boxes that are on this host, by id. */
final class Roster {
    private final Map<String, HostedBox> boxes = new ConcurrentHashMap<>();
    private final BoxRecord record;
    private @Nullable Lives lives;

    Roster(BoxRecord record) {
        this.record = record;
    }

    /** Once, before anything is done to any box. */
    void led(Lives leader) {
        lives = leader;
    }

    Lives lives() {
        return Objects.requireNonNull(lives);
    }

    void add(HostedBox box) {
        boxes.put(box.id(), box);
    }

    void remove(String id) {
        boxes.remove(id);
    }

    /** Those that the record has, oldest first. */
    List<HostedBox> all() {
        Map<String, BoxRow> rows = record.rows().boxes();
        return boxes.values().stream()
                .filter(box -> rows.containsKey(box.id()))
                .sorted(Comparator.comparingLong(
                        box -> Objects.requireNonNull(rows.get(box.id())).number()))
                .toList();
    }

    /** By id, if it is here. */
    Optional<HostedBox> onHost(String id) {
        return Optional.ofNullable(boxes.get(id));
    }

    /** By id or name. */
    HostedBox find(String box) {
        HostedBox byId = boxes.get(box);
        if (byId != null) {
            return byId;
        }
        return record.rows()
                .named(box)
                .map(row -> boxes.get(row.id()))
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.NOT_FOUND, "there is no box " + box, "See them all: boxd list.", null));
    }

    /** Whether a box would wake from this snapshot of the engine. */
    boolean sleepsIn(String instant) {
        return boxes.values().stream().anyMatch(box -> instant.equals(box.memory()));
    }
}
