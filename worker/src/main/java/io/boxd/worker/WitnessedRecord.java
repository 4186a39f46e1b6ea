package io.boxd.worker;

import io.boxd.vmm.MachineSize;
import io.boxd.worker.BoxEvent.Kind;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A record of boxes whose changes are told; where boxes are in their lives is told by {@link Lives}. */
final class WitnessedRecord implements BoxRecord {

    private final BoxRecord record;
    private final BoxWitness witness;

    WitnessedRecord(BoxRecord record, BoxWitness witness) {
        this.record = record;
        this.witness = witness;
    }

    @Override
    public BoxRows rows() {
        return record.rows();
    }

    @Override
    public Outcome apply(BoxCommand command) {
        BoxRows before = record.rows();
        Outcome outcome = record.apply(command);
        try {
            // What was done for the same request before was told then.
            if (!outcome.before()) {
                tell(command, before, record.rows());
            }
        } catch (RuntimeException e) {
            // It is done, whatever becomes of the news of it.
            Workshop.warn("a change of boxes was not told", e);
        }
        return outcome;
    }

    private void tell(BoxCommand command, BoxRows before, BoxRows after) {
        switch (command) {
            case BoxCommand.Reserve reserve -> reserve.boxes().forEach(this::created);
            case BoxCommand.Rename(String box, String name) ->
                say(Kind.RENAMED, box, after, Lives.ASKED, Map.of("before", name(box, before), "name", name));
            case BoxCommand.Label label ->
                say(Kind.LABELLED, label.box(), after, Lives.ASKED, Map.of("labels", label.labels()));
            case BoxCommand.Sleep(String box, SleepRules rules) ->
                say(
                        Kind.IDLE_CHANGED,
                        box,
                        after,
                        Lives.ASKED,
                        Map.of(
                                "idle_after_s", rules.idleAfter().toSeconds(),
                                "hibernate_after_s", rules.hibernateAfter().toSeconds()));
            case BoxCommand.Admit(String box, Doorway doorway) ->
                say(Kind.DOORWAY_CHANGED, box, after, Lives.ASKED, doorway(doorway));
            case BoxCommand.Resize(String box, MachineSize size, var _) ->
                say(Kind.RESIZED, box, after, Lives.ASKED, sizes(size));
            case BoxCommand.Keep keep -> kept(keep.snapshot().snapshot(), after);
            case BoxCommand.Intend(String _, Intent _, KeptRow left) -> kept(left.snapshot(), after);
            case BoxCommand.Forget forget ->
                forget.snapshots().stream()
                        .flatMap(id -> Optional.ofNullable(before.snapshots().get(id)).stream())
                        .forEach(row -> forgotten(row, before, "nobody needs it any more"));
            case BoxCommand.Abandon(String box) ->
                intent(box, before)
                        .map(intent -> before.snapshots().get(intent.left()))
                        .ifPresent(left -> forgotten(left, before, "its box stays what it was"));
            case BoxCommand.Become(String box, Optional<String> _, MachineSize _) ->
                intent(box, before).ifPresent(intent -> became(box, intent, before));
            case BoxCommand.Remove(List<String> boxes) ->
                boxes.stream()
                        .flatMap(box -> before.snapshotsOf(box).stream())
                        .filter(row -> !after.snapshots().containsKey(row.id()))
                        .forEach(row -> forgotten(row, before, "its box is no more"));
            case BoxCommand.Made _,
                    BoxCommand.Settle _,
                    BoxCommand.Reach _,
                    BoxCommand.Busy _,
                    BoxCommand.Remember _,
                    BoxCommand.Doom _,
                    BoxCommand.HostSeen _,
                    BoxCommand.Adopt _,
                    BoxCommand.Import _ -> {
                // What they mean for a box is told when it has come to be, or was told long ago.
            }
        }
    }

    private static Map<String, Object> doorway(Doorway doorway) {
        return Map.of(
                "admittance", doorway.admittance().name().toLowerCase(Locale.ROOT),
                "port", doorway.port().map(String::valueOf).orElse("auto"));
    }

    private void created(BoxRow row) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("image", row.image());
        Kind kind = switch (row.origin()) {
            case Origination.FromImage _ -> Kind.CREATED;
            case Origination.FromSnapshot(String snapshot) -> {
                details.put("snapshot_id", snapshot);
                yield Kind.CREATED;
            }
            case Origination.FromBox(String parent) -> {
                details.put("parent", parent);
                yield Kind.FORKED;
            }
        };
        witness.saw(new BoxEvent(
                kind,
                row.id(),
                row.name(),
                Optional.of(BoxEvent.Whose.of(row)),
                Instant.now(),
                Optional.of(Status.STARTING),
                Lives.ASKED,
                details));
    }

    private void kept(KeptSnapshot snapshot, BoxRows rows) {
        String because = switch (snapshot.cause()) {
            case SAVED -> Lives.ASKED;
            case CHECKPOINT -> snapshot.execution().map(id -> "before " + id).orElse("a checkpoint was due");
            case LEFT -> "its box leaves this state";
        };
        Map<String, Object> details = snapshotDetails(snapshot);
        snapshot.execution().ifPresent(id -> details.put("exec_id", id));
        say(Kind.SNAPSHOT_KEPT, snapshot.box(), rows, because, details);
    }

    private void forgotten(KeptRow row, BoxRows rows, String because) {
        say(Kind.SNAPSHOT_FORGOTTEN, row.box(), rows, because, snapshotDetails(row.snapshot()));
    }

    private static Map<String, Object> snapshotDetails(KeptSnapshot snapshot) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("snapshot_id", snapshot.id());
        snapshot.label().ifPresent(label -> details.put("label", label));
        return details;
    }

    private void became(String box, Intent intent, BoxRows rows) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("left_snapshot", intent.left());
        intent.target().ifPresent(target -> details.put("snapshot_id", target));
        intent.fork().ifPresent(fork -> details.put("fork", fork));
        Kind kind = intent.fork().isPresent() ? Kind.PROMOTED : Kind.ROLLED_BACK;
        String because = intent.fork()
                .map(fork -> "it took the state of " + name(fork, rows))
                .orElse(Lives.ASKED);
        say(kind, box, rows, Optional.of(Status.RUNNING), because, details);
    }

    private static Optional<Intent> intent(String box, BoxRows rows) {
        return Optional.ofNullable(rows.boxes().get(box))
                .flatMap(row -> row.condition().intent());
    }

    private static Map<String, Object> sizes(MachineSize size) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("cpus", size.cpus());
        details.put("memory_bytes", size.memoryBytes());
        details.put("disk_bytes", size.diskBytes());
        return details;
    }

    private static String name(String box, BoxRows rows) {
        BoxRow row = rows.boxes().get(box);
        return Objects.requireNonNullElse(row == null ? null : row.name(), box);
    }

    private void say(Kind kind, String box, BoxRows rows, String because, Map<String, Object> details) {
        say(kind, box, rows, Optional.empty(), because, details);
    }

    private void say(
            Kind kind, String box, BoxRows rows, Optional<Status> status, String because, Map<String, Object> details) {
        Optional<BoxEvent.Whose> whose =
                Optional.ofNullable(rows.boxes().get(box)).map(BoxEvent.Whose::of);
        witness.saw(new BoxEvent(kind, box, name(box, rows), whose, Instant.now(), status, because, details));
    }
}
