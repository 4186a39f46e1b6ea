package io.boxd.control;

import io.boxd.chronicle.AuditEntry;
import io.boxd.chronicle.AuditFollower;
import io.boxd.common.Deadline;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;

/** Entries of the audit: those that are there already, then those that come. */
final class AuditFollowing implements Following {
    private final Queue<AuditEntry> before;
    private final AuditFollower follower;

    AuditFollowing(List<AuditEntry> before, AuditFollower follower) {
        this.before = new ArrayDeque<>(before);
        this.follower = follower;
    }

    @Override
    public Optional<Told> next(Deadline deadline) {
        AuditEntry older = before.poll();
        return (older == null ? follower.next(deadline) : Optional.of(older))
                .map(entry -> new Told(entry.sequence(), "entry", Happenings.entry(entry)));
    }

    @Override
    public void close() {
        follower.close();
    }
}
