package io.boxd.control;

import io.boxd.common.Deadline;
import io.boxd.worker.Boxes;
import io.boxd.worker.Hold;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a box awake while something happens on a stream, and lets go of it while nothing does.
 *
 * <p>A quiet shell is quiet: whoever left one open does not pay for it. Safe for several threads.
 */
final class Attention implements AutoCloseable {
    private final Boxes boxes;
    private final String box;
    private final String reason;
    private final boolean lasting;
    private final Duration quiet;
    private @Nullable Hold hold;
    private long lastNanos = System.nanoTime();
    private boolean closed;

    /** @param lasting whether it holds the box until it is closed, quiet or not */
    Attention(Boxes boxes, String box, String reason, boolean lasting, Duration quiet) {
        this.boxes = boxes;
        this.box = box;
        this.reason = reason;
        this.lasting = lasting;
        this.quiet = quiet;
    }

    /** A hold on the box, which is woken if it sleeps; it stays this object's own. */
    Hold take(Deadline deadline) {
        Hold present = present();
        if (present != null) {
            return present;
        }
        Hold fresh = boxes.hold(box, reason, deadline); // not under the lock: waking takes a while
        Hold kept;
        boolean surplus;
        synchronized (this) {
            surplus = closed || hold != null;
            kept = hold == null ? fresh : hold;
            if (!surplus) {
                hold = fresh;
            }
            lastNanos = System.nanoTime();
        }
        if (surplus) {
            fresh.close();
        }
        return kept;
    }

    private synchronized @Nullable Hold present() {
        if (hold != null) {
            lastNanos = System.nanoTime();
            hold.touch();
        }
        return hold;
    }

    /** Something was said on the stream. */
    void happened() {
        present();
    }

    /** To be called when nothing has happened for a while: lets go of the box once it was long enough. */
    void rest() {
        @Nullable Hold released = null;
        synchronized (this) {
            if (!lasting && hold != null && System.nanoTime() - lastNanos >= quiet.toNanos()) {
                released = hold;
                hold = null;
            }
        }
        if (released != null) {
            released.close();
        }
    }

    /** The machine that it held is no more; the next one needs a new hold. */
    void lost() {
        letGo(false);
    }

    @Override
    public void close() {
        letGo(true);
    }

    private void letGo(boolean forGood) {
        @Nullable Hold released;
        synchronized (this) {
            released = hold;
            hold = null;
            closed |= forGood;
        }
        if (released != null) {
            released.close();
        }
    }
}
