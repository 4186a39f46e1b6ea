package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.meter.Counters;
import io.boxd.meter.MeterBook;
import io.boxd.meter.MeterState;
import io.boxd.meter.Reading;
import io.boxd.network.Traffic;
import io.boxd.vmm.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Looks at what boxes use whenever they come somewhere else in their lives, and once a minute.
 *
 * <p>That a box sleeps or wakes is only noted where it happens; a thread of its own reads counters and writes. Counters
 * outlive this server, and those of a machine that has ended are kept until they have been read.
 */
final class Meters implements AutoCloseable {
    private static final Duration EVERY = Duration.ofMinutes(1);
    private static final Duration FINISHING = Duration.ofSeconds(10);
    private static final int MOST_NOTES = 100_000;
    private static final String KEY = "meters";
    private final Workshop shop;
    private final Roster roster;
    private final MeterBook book;
    private final Function<Machine, Optional<Traffic>> traffic;
    private final BlockingQueue<Entry> notes = new LinkedBlockingQueue<>(MOST_NOTES);
    private final Thread reader;
    private final Map<String, Boolean> awake = new HashMap<>();
    /** Only for the reader: the machines whose counters were read last. */
    private final Map<String, Machine> machines = new HashMap<>();

    private final Map<String, Duration> left;

    /**
     * Something that is to be read.
     *
     * @param ran whether the box was awake until then; nothing if this server has not seen it before
     */
    private record Note(
            String box,
            String owner,
            Optional<String> organisation,
            Instant at,
            Optional<Boolean> ran,
            boolean awake,
            @Nullable Machine machine,
            long memoryBytes,
            long diskBytes,
            boolean last)
            implements Entry {}

    /** What the reader is given. */
    private sealed interface Entry {
        /** All before this is written when the latch is open. */
        record Mark(CountDownLatch written) implements Entry {}

        /** There is nothing more. */
        record End() implements Entry {}
    }

    /** @param left processor time of machines that have ended since the last server, by id */
    Meters(
            Workshop shop,
            Roster roster,
            MeterBook book,
            Function<Machine, Optional<Traffic>> traffic,
            Map<String, Duration> left) {
        this.shop = shop;
        this.roster = roster;
        this.book = book;
        this.traffic = traffic;
        this.left = Map.copyOf(left);
        this.reader = Thread.ofVirtual().name(KEY).unstarted(this::read);
    }

    /** After all boxes that are there have been found. */
    void begin() {
        endThoseThatAreGone();
        reader.start();
        again();
    }

    private void again() {
        shop.agenda().in(EVERY, KEY, () -> {
            roster.all().forEach(this::look);
            again();
        });
    }

    /** A box is somewhere else in its life, or it is time to look at it. */
    void look(HostedBox box) {
        BoxRow row = shop.record().rows().boxes().get(box.id());
        if (row == null) {
            return;
        }
        boolean last = box.life() == Life.DESTROYED;
        boolean isAwake = box.life() == Life.RUNNING;
        synchronized (awake) {
            Optional<Boolean> was = Optional.ofNullable(last ? awake.remove(box.id()) : awake.put(box.id(), isAwake));
            Note note = new Note(
                    box.id(),
                    row.owner(),
                    row.settings().sharing().organisation(),
                    Instant.now(),
                    was,
                    isAwake,
                    box.machine(),
                    row.settings().size().memoryBytes(),
                    row.settings().size().diskBytes(),
                    last);
            if (!notes.offer(note)) {
                Workshop.warn(
                        "what boxes use is not written down fast enough",
                        new BoxdException(ErrorCode.RESOURCE_EXHAUSTED, notes.size() + " readings wait"));
            }
        }
    }

    private void read() {
        List<Entry> batch = new ArrayList<>();
        List<Reading> unwritten = new ArrayList<>();
        boolean ended = false;
        while (!ended) {
            try {
                batch.add(notes.take());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            notes.drainTo(batch);
            List<CountDownLatch> waiting = new ArrayList<>();
            for (Entry entry : batch) {
                switch (entry) {
                    case Note note -> unwritten.addAll(readings(note));
                    case Entry.Mark(CountDownLatch written) -> waiting.add(written);
                    case Entry.End _ -> ended = true;
                }
            }
            batch.clear();
            write(unwritten);
            waiting.forEach(CountDownLatch::countDown);
        }
    }

    private void write(List<Reading> unwritten) {
        try {
            book.take(unwritten);
            unwritten.clear();
        } catch (BoxdException e) {
            // They are written with the next ones; what was counted is in the counters, too.
            Workshop.warn("what boxes use could not be written down", e);
            unwritten.subList(0, Math.max(0, unwritten.size() - MOST_NOTES)).clear();
        }
    }

    /** Until everything that was seen before is written. */
    void await(Deadline deadline) {
        CountDownLatch written = new CountDownLatch(1);
        try {
            boolean noted = notes.offer(new Entry.Mark(written), deadline.leftNanos(), TimeUnit.NANOSECONDS);
            if (!noted || !written.await(deadline.leftNanos(), TimeUnit.NANOSECONDS)) {
                throw deadline.exceeded("adding up what boxes use");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "adding up what boxes use was interrupted", e);
        }
    }

    private List<Reading> readings(Note note) {
        Machine now = note.machine();
        Machine before = machines.get(note.box());
        List<Reading> all = new ArrayList<>();
        if (before == null && now == null) {
            all.add(reading(note, ran(note), ofDeadMachine(note.box())));
        } else if (before != null && before != now) {
            // Its last counts, which nobody could read while it was being ended.
            all.add(reading(note, ran(note), Optional.of(count(before))));
        }
        if (now != null) {
            boolean first = all.isEmpty();
            all.add(reading(note, first && ran(note), Optional.of(count(now))));
        }
        if (now == null || note.last()) {
            machines.remove(note.box());
        } else {
            machines.put(note.box(), now);
        }
        if (note.last()) {
            all.add(reading(note, false, Optional.empty()));
        }
        return all;
    }

    /** A box that ran before this server came and runs now has run in between, if it is the same machine. */
    private boolean ran(Note note) {
        return note.ran().orElseGet(() -> {
            Machine machine = note.machine();
            return machine != null
                    && note.awake()
                    && book.state(note.box())
                            .filter(MeterState::awake)
                            .flatMap(MeterState::counters)
                            .filter(counters -> counters.epoch().equals(machine.id()))
                            .isPresent();
        });
    }

    private Optional<Counters> ofDeadMachine(String box) {
        return book.state(box)
                .flatMap(MeterState::counters)
                .flatMap(known -> Optional.ofNullable(left.get(known.epoch()))
                        .map(time ->
                                new Counters(known.epoch(), time.toNanos(), known.receivedBytes(), known.sentBytes())));
    }

    private Counters count(Machine machine) {
        Optional<Traffic> passed = traffic.apply(machine);
        return new Counters(
                machine.id(),
                machine.totalCpuTime().toNanos(),
                passed.map(Traffic::receivedBytes).orElse(0L),
                passed.map(Traffic::sentBytes).orElse(0L));
    }

    private static Reading reading(Note note, boolean ran, Optional<Counters> counters) {
        boolean last = note.last() && counters.isEmpty();
        return new Reading(
                note.box(),
                note.owner(),
                note.organisation(),
                note.at(),
                ran,
                note.awake(),
                counters,
                note.memoryBytes(),
                note.diskBytes(),
                last);
    }

    /** Boxes that were destroyed without this having been told: they count up to where they were last looked at. */
    private void endThoseThatAreGone() {
        Map<String, BoxRow> rows = shop.record().rows().boxes();
        List<Reading> ends = book.boxes().stream()
                .filter(box -> !rows.containsKey(box))
                .flatMap(box -> book.state(box).stream())
                .map(state -> new Reading(
                        state.box(),
                        state.owner(),
                        state.organisation(),
                        state.at(),
                        false,
                        false,
                        state.counters()
                                .map(known -> new Counters(
                                        known.epoch(),
                                        Optional.ofNullable(left.get(known.epoch()))
                                                .map(Duration::toNanos)
                                                .orElse(known.cpuNanos()),
                                        known.receivedBytes(),
                                        known.sentBytes())),
                        0,
                        0,
                        true))
                .toList();
        book.take(ends);
    }

    MeterBook book() {
        return book;
    }

    /** Looks once more, and ends when that is written. */
    @Override
    public void close() {
        if (reader.getState() == Thread.State.NEW) {
            book.close();
            return;
        }
        roster.all().forEach(this::look);
        try {
            if (!notes.offer(new Entry.End(), FINISHING.toMillis(), TimeUnit.MILLISECONDS) || !reader.join(FINISHING)) {
                Workshop.warn("meters do not end", new IllegalStateException("the reader is still at work"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        book.close();
    }
}
