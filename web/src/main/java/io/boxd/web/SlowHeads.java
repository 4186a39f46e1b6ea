package io.boxd.web;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.alpn.server.ALPNServerConnection;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.component.AbstractLifeCycle;

/**
 * Ends connections whose client sends the head of a request, or the beginning of TLS, byte by byte: Jetty asks only that
 * something comes now and then.
 */
final class SlowHeads extends AbstractLifeCycle implements Connection.Listener {
    private static final long SEVERAL = 4;

    private final Duration longest;
    /** Since when each is in the middle of a head; 0 for those that are not. */
    private final Map<Connection, Long> connections = new ConcurrentHashMap<>();

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("slow-heads").factory());

    /** @param longest that a head may take */
    SlowHeads(Duration longest) {
        this.longest = longest;
    }

    @Override
    protected void doStart() {
        long period = longest.dividedBy(SEVERAL).toMillis();
        var _ = clock.scheduleAtFixedRate(this::look, period, period, TimeUnit.MILLISECONDS);
    }

    @Override
    protected void doStop() {
        clock.shutdownNow();
    }

    @Override
    public void onOpened(Connection connection) {
        if (connection instanceof HttpConnection || connection instanceof ALPNServerConnection) {
            connections.put(connection, 0L);
        }
    }

    @Override
    public void onClosed(Connection connection) {
        connections.remove(connection);
    }

    private void look() {
        long now = System.nanoTime();
        connections.replaceAll((connection, since) -> {
            if (!isInHead(connection)) {
                return 0L;
            }
            if (since != 0 && now - since > longest.toNanos()) {
                connection.getEndPoint().close(new TimeoutException("a head took too long"));
            }
            return since == 0 ? now : since;
        });
    }

    private static boolean isInHead(Connection connection) {
        if (!(connection instanceof HttpConnection http)) {
            return true;
        }
        HttpParser.State state = http.getParser().getState();
        return state.compareTo(HttpParser.State.START) > 0 && state.compareTo(HttpParser.State.CONTENT) < 0;
    }
}
