package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.Control;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.io.EndPoint;
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

/** Where doors in other processes reach control, open while this is: for whoever has a pass, and for nobody else. */
public final class InsideServer implements AutoCloseable {
    static final String PATH = "/inside";
    static final String PROTOCOL = "boxd.inside.v1";
    private static final int JETTY_THREADS = 8;

    private final Server server;
    private final ServerConnector connector;

    private InsideServer(Server server, ServerConnector connector) {
        this.server = server;
        this.connector = connector;
    }

    /**
     * Opens it.
     *
     * @param at port 0 for any that is free
     * @param context of this side, which believes the authority of passes and no other
     * @param obstacle why no box can be made now; nothing if one can
     */
    public static InsideServer open(
            InetSocketAddress at, SSLContext context, Control control, Supplier<Optional<String>> obstacle) {
        SslContextFactory.Server tls = tls(context);
        tls.setNeedClientAuth(true);
        return open(at, tls, control, obstacle, DoorHandler::rights);
    }

    static SslContextFactory.Server tls(SSLContext context) {
        SslContextFactory.Server tls = new SslContextFactory.Server();
        tls.setSslContext(context);
        tls.setIncludeProtocols("TLSv1.3");
        return tls;
    }

    static InsideServer open(
            InetSocketAddress at,
            SslContextFactory.Server tls,
            Control control,
            Supplier<Optional<String>> obstacle,
            Function<EndPoint, DoorRights> rights) {
        QueuedThreadPool threads = new QueuedThreadPool(JETTY_THREADS);
        threads.setName("inside");
        threads.setDaemon(true);
        threads.setVirtualThreadsExecutor(Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("inside-", 0).factory()));
        Server server = new Server(threads);
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setRequestHeaderSize(InsideLimits.HEADER_BYTES);
        configuration.setSendServerVersion(false);
        configuration.setSendDateHeader(false);
        HttpConnectionFactory http = new HttpConnectionFactory(configuration);
        ServerConnector connector =
                new ServerConnector(server, 1, 1, new SslConnectionFactory(tls, http.getProtocol()), http);
        connector.setHost(at.getAddress().getHostAddress());
        connector.setPort(at.getPort());
        connector.setReuseAddress(true);
        connector.setIdleTimeout(InsideLimits.SILENCE.toMillis());
        server.addConnector(connector);
        server.addBean(new NetworkConnectionLimit(InsideLimits.DOORS, connector));
        ContextHandler root = new ContextHandler("/");
        server.setHandler(root);
        ServerWebSocketContainer sockets = ServerWebSocketContainer.ensure(server, root);
        sockets.setMaxBinaryMessageSize(InsideLimits.FRAME_BYTES * 2L);
        sockets.setMaxFrameSize(InsideLimits.FRAME_BYTES * 2L);
        sockets.setIdleTimeout(InsideLimits.SILENCE);
        root.setHandler(new DoorHandler(control, obstacle, rights));
        InsideServer inside = new InsideServer(server, connector);
        inside.start(at);
        return inside;
    }

    private void start(InetSocketAddress at) {
        try {
            server.start();
        } catch (Exception e) {
            close();
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    "cannot listen for doors at " + at.getAddress().getHostAddress() + ":" + at.getPort() + ": "
                            + e.getMessage(),
                    "Is another program there? Choose another port (inside_port, BOXD_INSIDE_PORT) and make new"
                            + " passes: boxd pass.",
                    e);
        }
    }

    /** How the certificate of a pass for these doors is called. */
    public static String nameOf(Set<String> doors) {
        return DoorRights.name(doors);
    }

    /** The port at which it listens. */
    public int port() {
        return connector.getLocalPort();
    }

    /** Ends it; doors notice, and come back when there is one again. */
    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new BoxdException(ErrorCode.INTERNAL, "the way to control does not close", e);
        }
    }
}
