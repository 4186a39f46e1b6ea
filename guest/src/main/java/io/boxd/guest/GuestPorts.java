package io.boxd.guest;

import io.boxd.common.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The TCP ports on which something in a machine listens. */
public final class GuestPorts {
    private static final int MAX_LISTENERS = 8192;

    private final Tasks tasks;

    GuestPorts(Tasks tasks) {
        this.tasks = tasks;
    }

    /** All listeners of this moment. */
    public List<PortListener> list(Deadline deadline) {
        List<PortListener> listeners = new ArrayList<>();
        try (Records<PortEvent> records = new Records<>(
                tasks.open(tasks.request(Tasks.PORTS), deadline, "listing the ports"), PortEvent::parse)) {
            Optional<PortEvent> next = records.next(deadline);
            while (next.isPresent() && listeners.size() < MAX_LISTENERS) {
                listeners.add(next.get().listener());
                next = records.next(deadline);
            }
        }
        return List.copyOf(listeners);
    }

    /** Tells of every listener there is, and then of each that comes or goes. */
    public PortWatch watch(Deadline deadline) {
        PayloadWriter request = tasks.request(Tasks.WATCH_PORTS);
        return new PortWatch(tasks.begin(request, Tasks.STALL_LIMIT, deadline, "watching the ports"), deadline);
    }
}
