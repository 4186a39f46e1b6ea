package io.boxd.web;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** The ports, open while this is. Each request is served by a virtual thread of its own. */
public final class WebServer implements AutoCloseable {
    private static final int JETTY_THREADS = 16;

    private final Server server;
    private final ServerConnector plain;
    private final Optional<ServerConnector> secure;

    private WebServer(Server server, ServerConnector plain, Optional<ServerConnector> secure) {
        this.server = server;
        this.plain = plain;
        this.secure = secure;
    }

    /**
     * Opens them; requests are answered when this returns.
     *
     * @param sites asked in order whose a request is; the last takes what is left
     * @param refusal answers requests that no site has seen, because they cannot be understood
     */
    public static WebServer open(WebConfig config, List<Site> sites, Request.Handler refusal) {
        QueuedThreadPool threads = new QueuedThreadPool(JETTY_THREADS);
        threads.setName("web");
        threads.setDaemon(true);
        threads.setVirtualThreadsExecutor(Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("web-", 0).factory()));
        Server server = new Server(threads);
        ServerConnector plain = connector(server, config.bind(), config.port(), Protocols.plain());
        Optional<ServerConnector> secure = config.secure()
                .map(door -> connector(server, config.bind(), door.port(), Protocols.secured(door.context())));
        ServerConnector[] connectors =
                Stream.concat(Stream.of(plain), secure.stream()).toArray(ServerConnector[]::new);
        server.setConnectors(connectors);
        server.addBean(new NetworkConnectionLimit(WebLimits.CONNECTIONS, connectors));
        server.setHandler(new Handler.Sequence(sites.stream()
                .<Handler>map(site -> new SiteHandler(site, site.handler(server)))
                .toList()));
        server.setErrorHandler(refusal);
        WebServer web = new WebServer(server, plain, secure);
        web.start(config);
        return web;
    }

    private static ServerConnector connector(
            Server server, InetAddress bind, int port, ConnectionFactory... protocols) {
        ServerConnector connector = new ServerConnector(server, 1, 1, protocols);
        connector.setHost(bind.getHostAddress());
        connector.setPort(port);
        connector.setReuseAddress(true);
        connector.setAcceptQueueSize(WebLimits.BACKLOG);
        connector.setIdleTimeout(WebLimits.STALL.toMillis());
        connector.addBean(new SlowHeads(WebLimits.HEAD));
        return connector;
    }

    private void start(WebConfig config) {
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

    /** Closes the ports; whoever streams sees its connection end and may come back. */
    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new BoxdException(ErrorCode.INTERNAL, "the HTTP server does not end", new IOException(e));
        }
    }
}
