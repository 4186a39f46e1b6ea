package io.boxd.control;

import io.boxd.accounts.Deed;
import io.boxd.common.BoxdException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams that outlast the request that began them: they end when whoever began them may not have them any more, also
 * at the moment at which their token expires.
 */
final class OpenStreams implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenStreams.class);

    private final Guard guard;
    private final InstantSource clock;

    /** Doors hold them for as long as they live. */
    private final Map<AutoCloseable, Right> open = Collections.synchronizedMap(new WeakHashMap<>());

    /** The moments for which the timer is set: one for each at which tokens expire, however many streams they have. */
    private final Set<Instant> moments = ConcurrentHashMap.newKeySet();

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("expiry").factory());

    /** @param box that it is about, if it is about one */
    private record Right(Caller who, Deed deed, Optional<String> box) {}

    OpenStreams(Guard guard, InstantSource clock) {
        this.guard = guard;
        this.clock = clock;
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** From now on the stream ends with the right to it; throws if that is gone already. */
    <T extends AutoCloseable> T note(T stream, Caller who, Deed deed, Optional<String> box) {
        Right right = new Right(who, deed, box);
        open.put(stream, right);
        try {
            // It may have ended since it was looked at, before this stream could be found.
            require(right);
        } catch (BoxdException e) {
            open.remove(stream);
            end(stream);
            throw e;
        }
        endInTime(right);
        return stream;
    }

    /** After rights have changed. */
    void endWhatIsNotAllowed() {
        all().forEach((stream, right) -> {
            if (!holds(right)) {
                open.remove(stream);
                end(stream);
            }
        });
    }

    private Map<AutoCloseable, Right> all() {
        synchronized (open) {
            return new HashMap<>(open);
        }
    }

    private void endInTime(Right right) {
        guard.expiry(right.who().principal()).filter(moments::add).ifPresent(at -> {
            long millis = Math.max(0, Duration.between(clock.instant(), at).toMillis()) + 1;
            var _ = timer.schedule(() -> expired(at), millis, TimeUnit.MILLISECONDS);
        });
    }

    private void expired(Instant at) {
        moments.remove(at);
        endWhatIsNotAllowed();
        // The clock may have been set back meanwhile.
        all().values().forEach(this::endInTime);
    }

    private void require(Right right) {
        var theirs = guard.boxes(guard.again(right.who()), right.deed());
        right.box().ifPresent(theirs::find);
    }

    private boolean holds(Right right) {
        try {
            require(right);
            return true;
        } catch (BoxdException e) {
            return false;
        }
    }

    private static void end(AutoCloseable stream) {
        try {
            stream.close();
        } catch (Exception e) {
            LOG.warn("a stream could not be ended to which there is no right any more", e);
        }
    }

    /** Sets no timer any more; streams are for their doors to end. */
    @Override
    public void close() {
        timer.shutdownNow();
    }
}
