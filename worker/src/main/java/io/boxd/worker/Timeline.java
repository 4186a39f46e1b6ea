package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.vmm.Snapshot;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Keeps instants of boxes. */
final class Timeline {
    private final Workshop shop;
    private final Instants instants;

    Timeline(Workshop shop, Instants instants) {
        this.shop = shop;
        this.instants = instants;
    }

    KeptSnapshot take(HostedBox box, SnapshotOrder order, Deadline deadline) {
        order.label().ifPresent(shop.config().limits()::requireLabel);
        Optional<KeptSnapshot> before = before(order);
        if (before.isPresent()) {
            return before.get();
        }
        if (order.cause() == KeptSnapshot.Cause.SAVED) {
            requireCount(box);
        }
        return box.exclusively(deadline, () -> {
            KeptRow row = capture(box, order, deadline);
            Outcome outcome = record(row, new BoxCommand.Keep(row, order.allowances(), order.key()));
            if (outcome.before()) {
                // Somebody repeated the request while it was being done.
                instants.release(row.instant());
                return before(order).orElseThrow(Timeline::deleted);
            }
            return row.snapshot();
        });
    }

    /** What the same request has kept, if it was made before. */
    private Optional<KeptSnapshot> before(SnapshotOrder order) {
        BoxRows rows = shop.record().rows();
        return rows.before(order.key())
                .map(row -> row.snapshot()
                        .map(rows.snapshots()::get)
                        .map(KeptRow::snapshot)
                        .orElseThrow(Timeline::deleted));
    }

    private static BoxdException deleted() {
        return new BoxdException(
                ErrorCode.NOT_FOUND,
                "the snapshot that this request has kept was deleted since",
                "Choose a new idempotency key for a new one.",
                null);
    }

    /** If that fails, what was taken is not left behind. */
    Outcome record(KeptRow row, BoxCommand command) {
        try {
            return shop.record().apply(command);
        } catch (RuntimeException e) {
            instants.release(row.instant());
            throw e;
        }
    }

    private void requireCount(HostedBox box) {
        int most = shop.config().limits().snapshots();
        long saved = shop.record().rows().snapshotsOf(box.id()).stream()
                .filter(row -> row.snapshot().cause() != KeptSnapshot.Cause.CHECKPOINT)
                .count();
        if (saved >= most) {
            throw new BoxdException(
                    ErrorCode.QUOTA_EXCEEDED,
                    box.name() + " has " + most + " snapshots, and may not have more",
                    "Delete some: boxd snapshot rm SNAPSHOT.",
                    null);
        }
    }

    /** Under the box's lock: its present instant, which nobody has written down yet. */
    KeptRow capture(HostedBox box, SnapshotOrder order, Deadline deadline) {
        return switch (box.life()) {
            case RUNNING, STANDBY ->
                row(
                        box,
                        order,
                        shop.engine().snapshot(box.requireMachine(), deadline).snapshot(),
                        false);
            case HIBERNATED -> row(box, order, instants.require(Acts.memoryOf(box)), true);
            case STARTING, STOPPED, FAILED, DORMANT, DESTROYED ->
                throw new BoxdException(
                        ErrorCode.WRONG_STATE,
                        box.name() + " has no memory that could be kept",
                        "Start it first; or fork it, to copy its disk.",
                        null);
        };
    }

    private KeptRow row(HostedBox box, SnapshotOrder order, Snapshot instant, boolean memory) {
        BoxRow row = box.row();
        KeptSnapshot snapshot = new KeptSnapshot(
                BoxIds.snapshot(),
                box.id(),
                order.cause(),
                order.label(),
                row.condition().cameFrom(),
                order.execution(),
                order.command(),
                Instant.now(),
                instant.bytes(),
                instant.bytes());
        return new KeptRow(
                snapshot,
                0,
                instant.id(),
                memory,
                row.image(),
                row.settings().size(),
                row.settings().environment(),
                row.settings().doorway().copied());
    }

    List<KeptSnapshot> list(Optional<String> box) {
        return shop.record().rows().snapshots().values().stream()
                .filter(row -> box.isEmpty() || row.box().equals(box.get()))
                .map(KeptRow::snapshot)
                .toList();
    }

    void forget(List<KeptRow> rows) {
        if (!rows.isEmpty()) {
            shop.record()
                    .apply(new BoxCommand.Forget(rows.stream().map(KeptRow::id).toList()));
            rows.forEach(row -> instants.release(row.instant()));
        }
    }
}
