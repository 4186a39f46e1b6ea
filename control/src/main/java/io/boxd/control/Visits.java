package io.boxd.control;

import io.boxd.accounts.Access;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.AgentConnection;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import io.boxd.worker.Hold;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Lets visitors in to what boxes serve, and finds the port that they mean. */
final class Visits {
    private static final String REASON = "a visitor";

    private final Boxes boxes;
    /** By the id of the box; those of boxes that are gone are dropped when others are looked for. */
    private final Map<String, OpenPorts> ports = new ConcurrentHashMap<>();

    Visits(Boxes boxes) {
        this.boxes = boxes;
    }

    BoxVisit visit(Caller caller, VisitOrder order) {
        Box box = find(order.box());
        requireAlive(box);
        Supplier<Attention> attentions = () -> new Attention(boxes, box.id(), REASON, false, Limits.QUIET);
        Attention attention = attentions.get();
        try {
            Hold hold = attention.take(Deadline.in(Limits.VISITOR_WAITS));
            int port = order.port().orElseGet(() -> usual(hold.box(), hold.agent()));
            return new LocalVisit(hold.box(), port, attention, attentions);
        } catch (RuntimeException e) {
            attention.close();
            throw e;
        }
    }

    private Box find(String name) {
        try {
            return boxes.find(name);
        } catch (BoxdException e) {
            throw e.code() == ErrorCode.NOT_FOUND ? Access.noBox(name) : e;
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

    /** Where a box answers now, as far as that can be told without waking it. */
    Optional<Integer> known(Box box) {
        return Optional.ofNullable(ports.get(box.id())).flatMap(OpenPorts::usual);
    }

    private OpenPorts openPorts(Box box, AgentConnection agent) {
        OpenPorts present = ports.get(box.id());
        if (present != null && present.areOf(agent)) {
            return present;
        }
        return ports.compute(
                box.id(),
                (_, kept) -> kept != null && kept.areOf(agent) ? kept : OpenPorts.of(agent, box.name()));
    }

    private static BoxdException nothingListens(Box box) {
        return new BoxdException(
                ErrorCode.UNAVAILABLE,
                "nothing listens on any port of " + box.name(),
                "Start a server in it, for example: python3 -m http.server 8000.",
                null);
    }
}
