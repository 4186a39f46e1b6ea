package io.boxd.guest;

import io.boxd.common.Deadline;
import java.util.Optional;

/** Listeners of a machine as they come and go, until it is closed. For one thread. */
public final class PortWatch implements AutoCloseable {
    private final Records<PortEvent> records;
    private final boolean notified;

    PortWatch(Tunnel tunnel, Deadline deadline) {
        PayloadReader head = tunnel.awaitOpened(deadline);
        try {
            this.notified = head.flag();
            head.end();
        } catch (ProtocolException e) {
            throw tunnel.nonsense(e);
        }
        this.records = new Records<>(tunnel, PortEvent::parse);
    }

    /** Whether the machine's kernel tells of changes at once; otherwise they are looked for now and then. */
    public boolean notified() {
        return notified;
    }

    /** The next event; nothing if none has come by the deadline. */
    public Optional<PortEvent> next(Deadline deadline) {
        return records.poll(deadline);
    }

    @Override
    public void close() {
        records.close();
    }
}
