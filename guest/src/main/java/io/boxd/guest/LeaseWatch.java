package io.boxd.guest;

import io.boxd.common.BoxdException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells listeners of a machine's leases when they change.
 *
 * <p>Listeners run on a thread of their own, one call at a time; news that come meanwhile replace each other,
 * so a machine that changes its mind all the time fills no memory and holds up no reader.
 */
final class LeaseWatch implements Conversation {
    private final List<Consumer<List<BusyLease>>> listeners = new CopyOnWriteArrayList<>();
    /** News that nobody has been told yet. */
    private final AtomicReference<@Nullable List<BusyLease>> news = new AtomicReference<>();

    void add(Consumer<List<BusyLease>> listener) {
        listeners.add(listener);
    }

    @Override
    public boolean accept(AgentMessage message) throws ProtocolException {
        if (!(message instanceof AgentMessage.LeasesChanged(List<BusyLease> leases))) {
            throw new ProtocolException("a message belongs to no request");
        }
        if (!listeners.isEmpty() && news.getAndSet(leases) == null) {
            Thread.ofVirtual().name("agent-leases").start(this::tell);
        }
        return false;
    }

    @Override
    public void gone(BoxdException reason) {
        listeners.clear();
    }

    private synchronized void tell() {
        List<BusyLease> latest = news.getAndSet(null);
        if (latest != null) {
            listeners.forEach(listener -> listener.accept(latest));
        }
    }
}
