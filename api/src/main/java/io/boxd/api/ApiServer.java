package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.Control;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;

/** The HTTP door, open while this is. Each request is served by a virtual thread of its own. */
public final class ApiServer implements AutoCloseable {
    private static final int JETTY_THREADS = 16;
    private static final int BACKLOG = 256;

    private final Server server;
    private final ServerConnector plain;
    private final Optional<ServerConnector> secure;
    private final Optional<SpanExporter> exporter;

    private ApiServer(
            Server server, ServerConnector plain, Optional<ServerConnector> secure, Optional<SpanExporter> exporter) {
        this.server = server;
        this.plain = plain;
        this.secure = secure;
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
        ServerConnector plain = connector(server, config.bind(), config.port(), new HttpConnectionFactory(http()));
        Optional<ServerConnector> secure =
                config.secure().map(door -> connector(server, config.bind(), door.port(), secured(door.context())));
        ServerConnector[] connectors =
                Stream.concat(Stream.of(plain), secure.stream()).toArray(ServerConnector[]::new);
        server.setConnectors(connectors);
        server.addBean(new NetworkConnectionLimit(ApiLimits.CONNECTIONS, connectors));
        ContextHandler root = new ContextHandler("/");
        server.setHandler(new OpenPages(root, config.pages()));
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
        ApiServer api = new ApiServer(server, plain, secure, exporter);
        api.start(config);
        return api;
    }

    private static ServerConnector connector(
            Server server, InetAddress bind, int port, ConnectionFactory... protocols) {
        ServerConnector connector = new ServerConnector(server, 1, 1, protocols);
        connector.setHost(bind.getHostAddress());
        connector.setPort(port);
        connector.setReuseAddress(true);
        connector.setAcceptQueueSize(BACKLOG);
        connector.setIdleTimeout(ApiLimits.REQUEST_STALL.toMillis());
        return connector;
    }

    /** HTTP/1.1 behind TLS. */
    private static ConnectionFactory[] secured(SSLContext context) {
        SslContextFactory.Server tls = new SslContextFactory.Server();
        tls.setSslContext(context);
        tls.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        HttpConnectionFactory http = new HttpConnectionFactory(http());
        return new ConnectionFactory[] {new SslConnectionFactory(tls, http.getProtocol()), http};
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
            String where = config.bind().getHostAddress() + ":" + config.port()
                    + config.secure().map(door -> " and :" + door.port()).orElse("");
            throw taken
                    ? new BoxdException(
                            ErrorCode.UNAVAILABLE,
                            "cannot listen at " + where + ": " + e.getMessage(),
                            "Is another program there? Choose other ports (http_port, BOXD_HTTP_PORT; https_port,"
                                    + " BOXD_HTTPS_PORT; 0 for a free one) or another address (bind, BOXD_BIND).",
                            e)
                    : new BoxdException(ErrorCode.INTERNAL, "the HTTP server does not start at " + where, e);
        }
    }

    /** The port at which it listens. */
    public int port() {
        return plain.getLocalPort();
    }

    /** The port at which it listens with TLS, if it does. */
    public Optional<Integer> securePort() {
        return secure.map(ServerConnector::getLocalPort);
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
