package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.PortEvent;
import io.boxd.guest.PortListener;
import io.boxd.guest.PortWatch;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * On which ports something in one machine listens, in the order in which they were opened, told by its agent the moment
 * that one opens or closes.
 *
 * <p>Those that were open before anybody looked are taken in the order of their processes. Ends with its agent.
 */
final class OpenPorts {
    private static final Logger LOG = LoggerFactory.getLogger(OpenPorts.class);
    private static final Duration FOLLOWING = Duration.ofHours(1);

    /** What a box answers by, whatever was opened later. */
    private static final int PREFERRED = 8000;

    /** Names and logins, which nobody means who asks for a page. */
    private static final Set<Integer> NEVER = Set.of(22, 53);

    private static final int MOST = 4096;

    private final AgentConnection agent;
    private final List<PortListener> open = new ArrayList<>();

    private OpenPorts(AgentConnection agent) {
        this.agent = agent;
    }

    /** Those that are open now, and from now on. */
    static OpenPorts of(AgentConnection agent, String box) {
        OpenPorts ports = new OpenPorts(agent);
        PortWatch watch = agent.ports().watch(Deadline.in(Limits.QUESTION));
        try {
            List<PortListener> now = new ArrayList<>(agent.ports().list(Deadline.in(Limits.QUESTION)));
            now.sort(Comparator.comparingLong(PortListener::pid));
            now.forEach(ports::opened);
        } catch (BoxdException e) {
            watch.close();
            throw e;
        }
        Thread.ofVirtual().name("ports-" + box).start(() -> ports.follow(watch));
        return ports;
    }

    /** Whether they are those of this agent, and news of them still comes. */
    boolean areOf(AgentConnection other) {
        return agent == other && agent.isOpen();
    }

    private void follow(PortWatch watch) {
        try (watch) {
            while (agent.isOpen()) {
                watch.next(Deadline.in(FOLLOWING)).ifPresent(this::happened);
            }
        } catch (BoxdException e) {
            LOG.debug("nothing more is heard of ports", e);
        }
    }

    private synchronized void happened(PortEvent event) {
        switch (event.kind()) {
            case PRESENT, OPENED -> opened(event.listener());
            case CLOSED ->
                open.removeIf(one -> one.port() == event.listener().port()
                        && one.address().equals(event.listener().address()));
        }
    }

    private synchronized void opened(PortListener listener) {
        boolean known = open.stream()
                .anyMatch(one -> one.port() == listener.port() && one.address().equals(listener.address()));
        if (!known && open.size() < MOST) {
            open.add(listener);
        }
    }

    /** The port that a box answers by, if any is open. */
    synchronized Optional<Integer> usual() {
        List<Integer> ports = open.stream()
                .filter(OpenPorts::isReached)
                .map(PortListener::port)
                .filter(port -> !NEVER.contains(port))
                .toList();
        return ports.contains(PREFERRED)
                ? Optional.of(PREFERRED)
                : ports.stream().reduce((_, later) -> later);
    }

    /** Of the loopback addresses, those that an agent dials. */
    private static boolean isReached(PortListener listener) {
        InetAddress address = listener.address();
        byte[] bytes = address.getAddress();
        return !address.isLoopbackAddress() || bytes[bytes.length - 1] == 1;
    }
}
