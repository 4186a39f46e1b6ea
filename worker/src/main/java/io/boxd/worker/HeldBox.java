package io.boxd.worker;

import io.boxd.common.Deadline;
import io.boxd.guest.AgentConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;

/** A hold on a box of this host. */
final class HeldBox implements Hold {
    private static final Duration WAKING = Duration.ofSeconds(60);

    private final HostedBox hosted;
    private final Lives lives;
    private final Box box;
    private final Object holder;
    private final AtomicBoolean closed = new AtomicBoolean();

    private HeldBox(HostedBox hosted, Lives lives, Box box, Object holder) {
        this.hosted = hosted;
        this.lives = lives;
        this.box = box;
        this.holder = holder;
    }

    /** Wakes the box if it sleeps; from before that until it is closed it is not put to sleep by itself. */
    static HeldBox take(HostedBox hosted, Lives lives, String reason, Deadline deadline, Views views) {
        Object holder = new Object();
        hosted.activity().hold(holder, reason);
        try {
            lives.use(hosted, reason, deadline);
            return new HeldBox(hosted, lives, views.of(hosted), holder);
        } catch (RuntimeException e) {
            hosted.activity().release(holder, Instant.now());
            throw e;
        }
    }

    @Override
    public Box box() {
        return box;
    }

    @Override
    public AgentConnection agent() {
        // Somebody may have paused it, or put another machine in its place.
        lives.use(hosted, "it is held", Deadline.in(WAKING));
        return hosted.requireMachine().agent();
    }

    @Override
    public void touch() {
        hosted.activity().touch(Instant.now());
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            hosted.activity().release(holder, Instant.now());
        }
    }
}
