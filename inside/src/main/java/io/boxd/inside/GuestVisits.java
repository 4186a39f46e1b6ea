package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.BoxConnection;
import io.boxd.control.BoxVisit;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** Those who visit boxes by way of one door; each is at its box until the door ends the conversation. */
final class GuestVisits {
    private static final Logger LOG = LoggerFactory.getLogger(GuestVisits.class);

    /** By the number of their conversation. */
    private final ConcurrentMap<Integer, BoxVisit> visits = new ConcurrentHashMap<>();

    void serve(Conversation conversation, BoxVisit visit) {
        try (visit) {
            visits.put(conversation.id(), visit);
            conversation.say(Json.object()
                    .put("box", visit.box())
                    .put("port", visit.port())
                    .put("asleep", visit.asleep()));
            awaitEnd(conversation);
        } finally {
            visits.remove(conversation.id());
        }
    }

    private static void awaitEnd(Conversation conversation) {
        Deadline deadline = Deadline.in(InsideLimits.LONGEST);
        try {
            var _ = conversation.take(deadline);
        } catch (BoxdException e) {
            LOG.debug("a visit is over", e);
        }
    }

    BoxConnection connect(int visit, Duration limit) {
        return find(visit).connect(limit);
    }

    ObjectNode rest(int visit) {
        find(visit).rest();
        return Json.object();
    }

    private BoxVisit find(int number) {
        BoxVisit visit = visits.get(number);
        if (visit == null) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the visit is over");
        }
        return visit;
    }
}
