package io.boxd.control;

import io.boxd.chronicle.AuditFollower;
import io.boxd.common.Deadline;
import java.util.Optional;

/** Entries of the audit from some place on. */
final class AuditFollowing implements Following {
    private final AuditFollower follower;

    AuditFollowing(AuditFollower follower) {
        this.follower = follower;
    }

    @Override
    public long position() {
        return follower.position();
    }

    @Override
    public Optional<Told> next(Deadline deadline) {
        return follower.next(deadline).map(entry -> new Told(entry.sequence(), "entry", HistoryAnswers.entry(entry)));
    }

    @Override
    public void close() {
        follower.close();
    }
}
