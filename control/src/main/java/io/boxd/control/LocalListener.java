package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.GuestConnection;
import io.boxd.guest.GuestListener;
import io.boxd.worker.Boxes;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A place in a box of this host to which connections come; made anew when the box has slept so deeply that nobody knows
 * of it any more.
 */
final class LocalListener implements BoxListener {
    /** Makes the listener in a machine. */
    interface Place {
        /**
         * Opens it.
         *
         * @param former where it was before, if this is not the first
         */
        GuestListener open(AgentConnection agent, Optional<Found> former);
    }

    /** Where it listens. */
    record Found(int port, String path) {}

    /** How often a place may be found taken before that is believed. */
    private static final int MAX_OCCUPIED = 10;

    private final Boxes boxes;
    private final String box;
    private final Attention attention;
    private final Place place;
    private final Function<GuestConnection, BoxConnection> arrival;
    private final Found found;
    private final CountDownLatch closed = new CountDownLatch(1);
    private AgentConnection agent;
    private int occupied;
    private @Nullable GuestListener listener;

    LocalListener(
            Boxes boxes,
            String box,
            Attention attention,
            Place place,
            Function<GuestConnection, BoxConnection> arrival,
            AgentConnection agent) {
        this.boxes = boxes;
        this.box = box;
        this.attention = attention;
        this.place = place;
        this.arrival = arrival;
        this.agent = agent;
        GuestListener first = place.open(agent, Optional.empty());
        this.listener = first;
        this.found = new Found(first.port(), first.path().toString());
    }

    @Override
    public int port() {
        return found.port();
    }

    @Override
    public String path() {
        return found.path();
    }

    @Override
    public Optional<Arrival> accept(Deadline deadline) {
        while (true) {
            GuestListener present = present(deadline);
            Optional<Arrival> next = present == null ? Optional.empty() : next(present, deadline);
            if (next.isPresent() || deadline.passed()) {
                return next;
            }
        }
    }

    private Optional<Arrival> next(GuestListener present, Deadline deadline) {
        try {
            Optional<GuestListener.Arrival> next = present.accept(deadline.orSooner(Limits.LOOK));
            if (next.isEmpty()) {
                attention.rest();
            }
            return next.map(this::arrived);
        } catch (BoxdException e) {
            lost(present, e);
            return Optional.empty();
        }
    }

    private Arrival arrived(GuestListener.Arrival came) {
        String address = found.port() == 0 ? "" : came.address().getHostAddress();
        return new Arrival(arrival.apply(came.connection()), address, came.port());
    }

    /** Whatever else may be wrong with it: with an open connection the machine itself has said so. */
    private synchronized void lost(GuestListener gone, BoxdException reason) {
        requireOpen();
        if (agent.isOpen()) {
            throw reason;
        }
        gone.close();
        listener = null;
        attention.lost();
    }

    /** The listener of now, made anew if the box runs again; nothing if it does not yet. Wakes nobody. */
    private @Nullable GuestListener present(Deadline deadline) {
        synchronized (this) {
            requireOpen();
            if (listener != null) {
                return listener;
            }
        }
        try {
            if (!Lines.runs(boxes, box, "nobody listens in it")) {
                pause(deadline);
                return null;
            }
            AgentConnection fresh = attention.take(Deadline.in(Limits.WAKE)).agent();
            return keep(fresh, place.open(fresh, Optional.of(found)));
        } catch (BoxdException e) {
            attention.lost();
            if (!mayPass(e)) {
                throw e;
            }
            pause(deadline);
            return null;
        }
    }

    /** Also what the former listener has left behind, which the machine is about to remove. */
    private synchronized boolean mayPass(BoxdException reason) {
        return switch (reason.code()) {
            case UNAVAILABLE, TIMEOUT -> true;
            case ALREADY_EXISTS -> ++occupied <= MAX_OCCUPIED;
            default -> false;
        };
    }

    private synchronized GuestListener keep(AgentConnection fresh, GuestListener made) {
        if (closed.getCount() == 0) {
            made.close();
        }
        requireOpen();
        occupied = 0;
        agent = fresh;
        listener = made;
        return made;
    }

    private void pause(Deadline deadline) {
        try {
            if (closed.await(deadline.orSooner(Limits.LOOK).leftNanos(), TimeUnit.NANOSECONDS)) {
                requireOpen();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "waiting for the box was interrupted", e);
        }
    }

    private void requireOpen() {
        if (closed.getCount() == 0) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "nobody listens any more");
        }
    }

    @Override
    public void close() {
        @Nullable GuestListener last;
        synchronized (this) {
            closed.countDown();
            last = listener;
            listener = null;
        }
        try (attention) {
            if (last != null) {
                last.close();
            }
        }
    }
}
