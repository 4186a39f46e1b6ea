package io.boxd.chronicle;

import io.boxd.common.Deadline;
import io.boxd.linux.Durable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The events of an instance: a bounded number of the newest, in memory and on disk.
 *
 * <p>Thread-safe. Nobody sees an event before it is on disk, so a number that anybody has seen is never used for
 * another, whatever ends the server. Whoever reads has only a number of his own here: one who is too slow finds a gap.
 */
public final class Feed implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Feed.class.getName());
    private static final int WAITING = 4096;
    private static final int BATCH = 256;
    private static final Duration AGAIN_AFTER = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofSeconds(5);

    /** Wakes whoever waits for events to write down. */
    private static final Event.Draft NOTHING = Event.lost(0, Instant.EPOCH);

    private static final Duration ENDING = Duration.ofSeconds(5);

    /** How many are kept. */
    public static final int KEPT = 10_000;

    private final int keep;
    private final EventFiles files;
    private final BlockingQueue<Event.Draft> waiting = new ArrayBlockingQueue<>(WAITING);
    private final AtomicLong lost = new AtomicLong();
    private final NavigableMap<Long, Event> kept = new TreeMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition more = lock.newCondition();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread writer = Thread.ofPlatform().daemon().name("events").unstarted(this::write);
    private long last;

    private Feed(int keep, EventFiles.Opened opened) {
        this.keep = keep;
        this.files = opened.files();
        opened.events().forEach(this::keep);
    }

    static Feed open(Path folder) {
        return open(folder, KEPT);
    }

    static Feed open(Path folder, int keep) {
        try {
            Feed feed = new Feed(keep, EventFiles.open(folder, keep));
            feed.writer.start();
            return feed;
        } catch (IOException e) {
            throw Durable.failure("cannot open the events in " + folder, e);
        }
    }

    /** Tells of something that happened; never waits. If nobody has time to write it down, a gap tells so. */
    public void publish(Event.Draft draft) {
        if (closing.getCount() == 0 || !waiting.offer(draft)) {
            lost.incrementAndGet();
        }
    }

    private void keep(Event event) {
        kept.put(event.sequence(), event);
        last = Math.max(last, event.sequence());
        if (kept.size() > keep) {
            kept.pollFirstEntry();
        }
    }

    private void write() {
        List<Event.Draft> drafts = new ArrayList<>();
        while (gather(drafts)) {
            long count = lost.getAndSet(0);
            if (count > 0) {
                drafts.add(Event.lost(count, Instant.now()));
            }
            if (!drafts.isEmpty()) {
                settle(drafts);
            }
            drafts.clear();
        }
    }

    private boolean gather(List<Event.Draft> drafts) {
        try {
            boolean ends = closing.getCount() == 0;
            Event.Draft first = ends ? waiting.poll() : waiting.poll(LOOK.toNanos(), TimeUnit.NANOSECONDS);
            if (first != null) {
                drafts.add(first);
                waiting.drainTo(drafts, BATCH - 1);
                drafts.removeIf(NOTHING::equals);
            }
            return first != null || closing.getCount() > 0 || lost.get() > 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Only this thread writes, so the numbers are known before the events are. */
    private void settle(List<Event.Draft> drafts) {
        List<Event> events = new ArrayList<>();
        long sequence = last();
        for (Event.Draft draft : drafts) {
            sequence++;
            events.add(draft.numbered(sequence));
        }
        boolean written = false;
        while (!written) {
            try {
                files.append(events);
                written = true;
            } catch (IOException e) {
                LOG.log(System.Logger.Level.ERROR, "events cannot be written; trying again", e);
                if (!repaired()) {
                    return;
                }
            }
        }
        lock.lock();
        try {
            events.forEach(this::keep);
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** False if the server ends before the disk is well again. */
    private boolean repaired() {
        while (true) {
            try {
                boolean ends = closing.await(AGAIN_AFTER.toNanos(), TimeUnit.NANOSECONDS);
                files.repair();
                return !ends;
            } catch (IOException e) {
                LOG.log(System.Logger.Level.ERROR, "the file of events cannot be repaired", e);
                if (closing.getCount() == 0) {
                    return false;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }

    /** The number of the newest event that anybody can have seen. */
    public long last() {
        lock.lock();
        try {
            return last;
        } finally {
            lock.unlock();
        }
    }

    /** The number of the last event that is kept and happened before a moment; what follows is all that came since. */
    public long lastBefore(Instant moment) {
        lock.lock();
        try {
            for (Event event : kept.values()) {
                if (!event.at().isBefore(moment)) {
                    return event.sequence() - 1;
                }
            }
            return last;
        } finally {
            lock.unlock();
        }
    }

    /** The newest that fit, oldest of them first. */
    public List<Event> newest(EventQuestion question, int most) {
        lock.lock();
        try {
            List<Event> found = new ArrayList<>();
            for (Event event : kept.descendingMap().values()) {
                if (found.size() == most) {
                    break;
                }
                if (question.fits(event)) {
                    found.add(event);
                }
            }
            return found.reversed();
        } finally {
            lock.unlock();
        }
    }

    /** The oldest that fit behind a number; a gap first, if some behind it are not kept any more. */
    public List<Event> after(long sequence, EventQuestion question, int most) {
        lock.lock();
        try {
            List<Event> found = new ArrayList<>();
            gapBehind(sequence).ifPresent(found::add);
            for (Event event : kept.tailMap(sequence, false).values()) {
                if (found.size() == most) {
                    break;
                }
                if (question.fits(event)) {
                    found.add(event);
                }
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    private Optional<Event> gapBehind(long sequence) {
        Long next = kept.higherKey(sequence);
        return next == null || next == sequence + 1
                ? Optional.empty()
                : Optional.of(Event.gap(next - 1, next - 1 - sequence, Instant.now()));
    }

    /** The next event behind a number, or a gap; waits for one, but not longer than the deadline. */
    public Optional<Event> next(long sequence, Deadline deadline) throws InterruptedException {
        return next(sequence, () -> true, deadline);
    }

    /** The same for as long as somebody wants it, which is asked again after {@link #remind}. */
    public Optional<Event> next(long sequence, BooleanSupplier wanted, Deadline deadline) throws InterruptedException {
        lock.lock();
        try {
            while (kept.higherKey(sequence) == null && wanted.getAsBoolean() && !deadline.passed()) {
                var _ = more.awaitNanos(deadline.leftNanos());
            }
            Optional<Event> gap = gapBehind(sequence);
            return gap.isPresent()
                    ? gap
                    : Optional.ofNullable(kept.higherEntry(sequence)).map(entry -> entry.getValue());
        } finally {
            lock.unlock();
        }
    }

    /** Somebody who waits may not want to any more. */
    public void remind() {
        lock.lock();
        try {
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The newest event about each thing that says what its status became. */
    public NavigableMap<String, Event> latest() {
        lock.lock();
        try {
            NavigableMap<String, Event> latest = new TreeMap<>();
            kept.values().stream()
                    .filter(event -> event.status().isPresent())
                    .forEach(event -> event.subject().ifPresent(subject -> latest.put(subject, event)));
            return latest;
        } finally {
            lock.unlock();
        }
    }

    /** Writes down what was told, and ends. */
    @Override
    public void close() {
        closing.countDown();
        if (!waiting.offer(NOTHING)) {
            LOG.log(System.Logger.Level.DEBUG, "the events end with a full queue");
        }
        try {
            writer.join(ENDING.toMillis());
            files.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw Durable.failure("cannot close the events", e);
        }
    }
}
