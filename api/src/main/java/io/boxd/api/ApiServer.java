package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.Control;
import java.io.IOException;
import java.net.BindException;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;

/** The HTTP door, open while this is. Each request is served by a virtual thread of its own. */
public final class ApiServer implements AutoCloseable {
    private static final int JETTY_THREADS = 16;
    private static final int BACKLOG = 256;

    private final Server server;
    private final ServerConnector connector;

    private final Optional<SpanExporter> exporter;

    private ApiServer(Server server, ServerConnector connector, Optional<SpanExporter> exporter) {
        this.server = server;
        this.connector = connector;
        this.exporter = exporter;
    }

    /**
     * Opens it; requests are answered when this returns.
     *
     * @param obstacle why no box can be made now; nothing if one can
     */
    public static ApiServer open(ApiConfig config, Control control, Supplier<Optional<String>> obstacle) {
        QueuedThreadPool threads = new QueuedThreadPool(JETTY_THREADS);
        threads.setName("api");
        threads.setDaemon(true);
        threads.setVirtualThreadsExecutor(Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("api-", 0).factory()));
        Server server = new Server(threads);
        ServerConnector connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http()));
        connector.setHost(config.bind().getHostAddress());
        connector.setPort(config.port());
        connector.setReuseAddress(true);
        connector.setAcceptQueueSize(BACKLOG);
        connector.setIdleTimeout(ApiLimits.REQUEST_STALL.toMillis());
        server.addConnector(connector);
        server.addBean(new NetworkConnectionLimit(ApiLimits.CONNECTIONS, connector));
        ContextHandler root = new ContextHandler("/");
        server.setHandler(root);
        ServerWebSocketContainer sockets = ServerWebSocketContainer.ensure(server, root);
        sockets.setMaxTextMessageSize(ApiLimits.BODY_BYTES);
        sockets.setMaxBinaryMessageSize(ApiLimits.MESSAGE_BYTES + 1L);
        sockets.setMaxFrameSize(ApiLimits.BODY_BYTES);
        sockets.setIdleTimeout(ApiLimits.STALL);
        Metrics metrics = new Metrics(control::census);
        Optional<SpanExporter> exporter =
                config.collector().map(url -> SpanExporter.begin(url, config.version(), metrics::spansLost));
        Routes routes = new Routes();
        root.setHandler(new ApiHandler(
                control,
                new Gate(config),
                routes,
                new RateLimits(config.rateLimit(), System::nanoTime),
                metrics,
                new Observer(metrics, exporter),
                new OwnRequests(obstacle, metrics, config.metricsOpen(), OpenApi.document(routes, config.version()))));
        server.setErrorHandler(new UnreadableRequests());
        ApiServer api = new ApiServer(server, connector, exporter);
        api.start(config);
        return api;
    }

    private static HttpConfiguration http() {
        HttpConfiguration http = new HttpConfiguration();
        http.setRequestHeaderSize(ApiLimits.HEADER_BYTES);
        http.setSendServerVersion(false);
        http.setSendDateHeader(false);
        return http;
    }

    private void start(ApiConfig config) {
        try {
            server.start();
        } catch (Exception e) {
            close();
            boolean taken = e instanceof BindException || e.getCause() instanceof BindException;
            String where = config.bind().getHostAddress() + ":" + config.port();
            throw taken
                    ? new BoxdException(
                            ErrorCode.UNAVAILABLE,
                            "cannot listen at " + where + ": " + e.getMessage(),
                            "Is another program there? Choose another port (http_port, BOXD_HTTP_PORT; 0 for a free"
                                    + " one) or another address (bind, BOXD_BIND).",
                            e)
                    : new BoxdException(ErrorCode.INTERNAL, "the HTTP server does not start at " + where, e);
        }
    }

    /** The port at which it listens. */
    public int port() {
        return connector.getLocalPort();
    }

    /** Ends the door; whoever streams sees its connection end and may come back. */
    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new BoxdException(ErrorCode.INTERNAL, "the HTTP server does not end", new IOException(e));
        } finally {
            exporter.ifPresent(SpanExporter::close);
        }
    }
}
