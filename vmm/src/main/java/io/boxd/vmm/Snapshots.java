package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Keeps instants of machines on disk and makes machines of them again. */
final class Snapshots {
    private final Captures captures;
    private final SnapshotStore store;
    private final FullMemories fulls;
    private final HuskPools pools;
    private final Starter starter;
    private final MachineBook book;
    private final Flattener flattener;
    private final Map<String, SnapshotRow> rows = new ConcurrentHashMap<>();

    Snapshots(
            Captures captures,
            SnapshotStore store,
            FullMemories fulls,
            HuskPools pools,
            Starter starter,
            MachineBook book,
            Flattener flattener) {
        this.captures = captures;
        this.store = store;
        this.fulls = fulls;
        this.pools = pools;
        this.starter = starter;
        this.book = book;
        this.flattener = flattener;
    }

    /** Takes over what the record has, at a server's start. */
    void adopt(List<SnapshotRow> recorded) {
        for (SnapshotRow row : recorded) {
            rows.put(row.id(), row);
            store.retainLayers(row);
        }
    }

    List<Snapshot> list() {
        return rows.values().stream().map(this::describe).toList();
    }

    Optional<Snapshot> find(String id) {
        return Optional.ofNullable(rows.get(id)).map(this::describe);
    }

    private Snapshot describe(SnapshotRow row) {
        return new Snapshot(row.id(), row.identity(), row.base(), store.bytes(row.id()));
    }

    /** Keeps the present instant of a machine, which runs on. */
    SnapshotResult take(Machine source, Deadline deadline) {
        try (Capture capture = captures.take(source, deadline)) {
            SnapshotRow row = write(source, capture);
            try {
                book.changed(List.of(source), new RecordChange.SnapshotKept(row));
            } catch (RuntimeException e) {
                store.discardUnrecorded(row);
                throw e;
            }
            return kept(row, capture);
        }
    }

    /**
     * Keeps the present instant of a machine and ends it.
     *
     * <p>Its process ends only when the snapshot is durable and the record says so, in one change with
     * the machine's own end: at no moment could both be there, or neither. If anything fails the machine
     * is as it was.
     */
    SnapshotResult hibernate(Machine source, Deadline deadline) {
        boolean wasRunning = source.state() == Machine.State.RUNNING;
        source.hold(deadline);
        try (Capture capture = captures.take(source, deadline)) {
            SnapshotRow row = write(source, capture);
            try {
                book.changed(List.of(), new RecordChange.SnapshotKept(row), new RecordChange.MachineEnded(source.id()));
            } catch (RuntimeException e) {
                store.discardUnrecorded(row);
                throw e;
            }
            source.closeUnlisted();
            return kept(row, capture);
        } catch (RuntimeException e) {
            goOn(source, wasRunning);
            throw e;
        }
    }

    private SnapshotRow write(Machine source, Capture capture) {
        return store.write(Ids.random(), source.identity(), capture);
    }

    private SnapshotResult kept(SnapshotRow row, Capture capture) {
        rows.put(row.id(), row);
        fulls.consider(row, capture.runs().bytes() + capture.base().inherited().bytes());
        return new SnapshotResult(describe(row), capture.pause());
    }

    /** A machine from a snapshot, which stays. */
    Machine start(Snapshot snapshot, Identity identity, Deadline deadline) {
        Machine machine = startUnlisted(row(snapshot), identity, deadline);
        book.started(List.of(machine), List.of());
        flattener.consider(machine);
        return machine;
    }

    /** The machine as it was then, under its own identity in a later generation; the present one ends. */
    Machine rollback(Machine present, Snapshot snapshot, Deadline deadline) {
        SnapshotRow row = row(snapshot);
        if (!row.identity().machineId().equals(present.identity().machineId())) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT, "snapshot " + row.id() + " is of another machine than this one");
        }
        return replace(present, snapshot, present.identity().next(), deadline);
    }

    /** What the snapshot holds, under the identity of the present machine in a later generation. */
    Machine replace(Machine present, Snapshot snapshot, Identity identity, Deadline deadline) {
        SnapshotRow row = row(snapshot);
        if (!identity.machineId().equals(present.identity().machineId())) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "a machine cannot be replaced by another one");
        }
        boolean wasRunning = present.state() == Machine.State.RUNNING;
        if (wasRunning) {
            // What it would still do is thrown away; and the two must not both act on the world.
            present.hold(deadline);
        }
        try {
            Machine earlier = startUnlisted(row, identity, deadline);
            book.started(List.of(earlier), List.of(), new RecordChange.MachineEnded(present.id()));
            present.closeUnlisted();
            return earlier;
        } catch (RuntimeException e) {
            goOn(present, wasRunning);
            throw e;
        }
    }

    /** Whatever went wrong, somebody's machine is not left standing. */
    private static void goOn(Machine machine, boolean wasRunning) {
        if (wasRunning && machine.state() == Machine.State.STANDBY) {
            machine.resume(Deadline.inSeconds(10));
        }
    }

    private Machine startUnlisted(SnapshotRow row, Identity identity, Deadline deadline) {
        Base full = fulls.of(row);
        if (full != null) {
            try (SavedInstant instant = store.openWithoutPages(row)) {
                return starter.startMapped(pools.takeHusk(full, deadline), instant.deviceState(), identity, deadline);
            }
        }
        try (SavedInstant instant = store.open(row)) {
            return starter.start(pools.takeHusk(instant.base(), deadline), instant, identity, deadline);
        }
    }

    /** Deletes a snapshot; machines that were started from it are not affected. */
    void forget(Snapshot snapshot) {
        SnapshotRow row = row(snapshot);
        book.changed(List.of(), new RecordChange.SnapshotForgotten(row.id()));
        rows.remove(row.id());
        fulls.forget(row);
        store.delete(row);
    }

    private SnapshotRow row(Snapshot snapshot) {
        @Nullable SnapshotRow row = rows.get(snapshot.id());
        if (row == null) {
            throw new BoxdException(ErrorCode.NOT_FOUND, "there is no snapshot " + snapshot.id());
        }
        return row;
    }
}
