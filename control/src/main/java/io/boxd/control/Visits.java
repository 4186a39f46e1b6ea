package io.boxd.control;

import io.boxd.accounts.Deed;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.AgentConnection;
import io.boxd.verbs.Verbs;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import io.boxd.worker.Hold;
import io.boxd.worker.Status;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Lets visitors in to what boxes serve, and finds the port that they mean. */
final class Visits {
    private static final String REASON = "a visitor";
    private static final Deed VISITING = Deed.of(Verbs.named("url").orElseThrow());

    private final Boxes boxes;
    private final Guard guard;
    private final Settings settings;
    private final InstantSource clock;
    private final WakeBudget budget = new WakeBudget(System::nanoTime);
    /** By the id of the box; those of boxes that are gone are dropped when others are looked for. */
    private final Map<String, OpenPorts> ports = new ConcurrentHashMap<>();

    Visits(Boxes boxes, Guard guard, Settings settings, InstantSource clock) {
        this.boxes = boxes;
        this.guard = guard;
        this.settings = settings;
        this.clock = clock;
    }

    BoxVisit visit(Caller caller, VisitOrder order) {
        Box box = find(order.box());
        requireWelcome(caller, order, box);
        requireAlive(box);
        return order.counts() ? enter(caller, order, box) : look(order, box);
    }

    private BoxVisit enter(Caller caller, VisitOrder order, Box box) {
        Attention attention = attention(box);
        try {
            Hold hold = hold(caller, box, attention);
            return visit(hold, order, attention);
        } catch (RuntimeException e) {
            attention.close();
            throw e;
        }
    }

    /** Strangers wake boxes only so often. */
    private Hold hold(Caller caller, Box box, Attention attention) {
        Deadline deadline = Deadline.in(Limits.VISITOR_WAITS);
        boolean awake = box.status() == Status.RUNNING || box.status() == Status.STARTING;
        return awake || caller.who().isPresent()
                ? attention.take(deadline)
                : budget.within(box, () -> attention.take(deadline));
    }

    private BoxVisit visit(Hold hold, VisitOrder order, Attention attention) {
        Box box = hold.box();
        int port = order.port().or(() -> box.doorway().port()).orElseGet(() -> usual(box, hold.agent()));
        return new LocalVisit(box, port, attention, () -> attention(box));
    }

    /** Nobody is woken, and the box does not notice: what it is asked goes past its wire. */
    private BoxVisit look(VisitOrder order, Box box) {
        if (box.status() != Status.RUNNING) {
            return new Sleeping(box.id());
        }
        Hold glance = boxes.look(box.id());
        int port = order.port().or(() -> box.doorway().port()).orElseGet(() -> usual(box, glance.agent()));
        return new Glance(box, port, glance.agent());
    }

    private Attention attention(Box box) {
        return new Attention(boxes, box.id(), REASON, false, Limits.QUIET);
    }

    /** Whoever may not come in is told what they would be told of a box that is not there. */
    private void requireWelcome(Caller caller, VisitOrder order, Box box) {
        if (!UrlVerbs.isPrivate(box, settings.privateUrls()) || hasLink(order, box)) {
            return;
        }
        if (caller.who().isEmpty()) {
            throw VisitOrder.nobody(order.box());
        }
        try {
            guard.boxes(caller.who().get(), VISITING).find(box.name());
        } catch (BoxdException e) {
            throw e.code() == ErrorCode.NOT_FOUND ? VisitOrder.nobody(order.box()) : e;
        }
    }

    private boolean hasLink(VisitOrder order, Box box) {
        Optional<String> key = box.doorway().linkKey();
        return key.isPresent()
                && order.link()
                        .filter(shown -> Links.holds(key.get(), box.id(), shown, clock.instant()))
                        .isPresent();
    }

    private Box find(String name) {
        try {
            return boxes.find(name);
        } catch (BoxdException e) {
            throw e.code() == ErrorCode.NOT_FOUND ? VisitOrder.nobody(name) : e;
        }
    }

    private static void requireAlive(Box box) {
        switch (box.status()) {
            case RUNNING, STARTING, STANDBY, HIBERNATED -> {}
            case STOPPED, FAILED, DESTROYED ->
                throw new BoxdException(
                        ErrorCode.WRONG_STATE,
                        box.name() + " is " + box.status().wireName(),
                        "Its owner can start it: boxd start " + box.name() + ".",
                        null);
        }
    }

    private int usual(Box box, AgentConnection agent) {
        return openPorts(box, agent).usual().orElseThrow(() -> nothingListens(box));
    }

    private OpenPorts openPorts(Box box, AgentConnection agent) {
        OpenPorts present = ports.get(box.id());
        if (present != null && present.areOf(agent)) {
            return present;
        }
        return ports.compute(
                box.id(), (_, kept) -> kept != null && kept.areOf(agent) ? kept : OpenPorts.of(agent, box.name()));
    }

    private static BoxdException nothingListens(Box box) {
        return new BoxdException(
                ErrorCode.UNAVAILABLE,
                "nothing listens on any port of " + box.name(),
                "Start a server in it, for example: python3 -m http.server 8000.",
                null);
    }
}
