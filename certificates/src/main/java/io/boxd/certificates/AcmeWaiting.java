package io.boxd.certificates;

import io.boxd.common.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.shredzone.acme4j.PollableResource;
import org.shredzone.acme4j.Status;
import org.shredzone.acme4j.exception.AcmeException;

/** Waits until an authority has decided. ACME tells nobody, so it must be asked, as often as it likes to be. */
final class AcmeWaiting {
    private static final Set<Status> OPEN = Set.of(Status.PENDING, Status.PROCESSING);
    private static final Duration FIRST = Duration.ofMillis(200);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition time = lock.newCondition();

    /** How it has decided, or what it still is when the deadline has passed. */
    Status untilDecided(PollableResource resource, Deadline deadline) throws AcmeException, InterruptedException {
        Duration pause = FIRST;
        while (true) {
            Optional<Instant> later = resource.fetch();
            if (!OPEN.contains(resource.getStatus()) || deadline.passed()) {
                return resource.getStatus();
            }
            Duration wanted = later.map(moment -> Duration.between(Instant.now(), moment))
                    .filter(Duration::isPositive)
                    .orElse(pause);
            pass(deadline.orSooner(wanted));
            pause = pause.multipliedBy(2).compareTo(LONGEST) < 0 ? pause.multipliedBy(2) : LONGEST;
        }
    }

    /** Nothing but time ends this, or the thread's being told to stop. */
    private void pass(Deadline until) throws InterruptedException {
        lock.lock();
        try {
            long left = until.leftNanos();
            while (left > 0) {
                left = time.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
