package io.boxd.api;

import io.boxd.control.Control;
import io.boxd.web.Site;
import java.util.Optional;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;

/** The door of the API, at whatever ports it is asked; takes every host that nobody else does, and refuses what is not its. */
public final class ApiDoor implements Site, AutoCloseable {
    private final ApiConfig config;
    private final Control control;
    private final Metrics metrics;
    private final OwnRequests own;
    private final Routes routes = new Routes();
    private final Optional<SpanExporter> exporter;

    /** @param obstacle why no box can be made now; nothing if one can */
    public ApiDoor(ApiConfig config, Control control, Supplier<Optional<String>> obstacle) {
        this.config = config;
        this.control = control;
        this.metrics = new Metrics(control::census);
        this.exporter = config.collector().map(url -> SpanExporter.begin(url, config.version(), metrics::spansLost));
        this.own = new OwnRequests(obstacle, metrics, config.metricsOpen(), OpenApi.document(routes, config.version()));
    }

    @Override
    public boolean serves(String host) {
        return true;
    }

    @Override
    public Handler handler(Server server) {
        ContextHandler root = new ContextHandler("/");
        ServerWebSocketContainer sockets = ServerWebSocketContainer.ensure(server, root);
        sockets.setMaxTextMessageSize(ApiLimits.BODY_BYTES);
        sockets.setMaxBinaryMessageSize(ApiLimits.MESSAGE_BYTES + 1L);
        sockets.setMaxFrameSize(ApiLimits.BODY_BYTES);
        sockets.setIdleTimeout(ApiLimits.STALL);
        root.setHandler(new ApiHandler(
                control,
                new Gate(config),
                routes,
                new RateLimits(config.rateLimit(), System::nanoTime),
                metrics,
                new Observer(metrics, exporter),
                own));
        return root;
    }

    /** Answers requests that cannot be understood, in the same form as all others. */
    public static Request.Handler refusal() {
        return new UnreadableRequests();
    }

    @Override
    public void close() {
        exporter.ifPresent(SpanExporter::close);
    }
}
