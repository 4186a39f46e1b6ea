package io.boxd.server;

import io.boxd.api.ApiConfig;
import io.boxd.api.ApiDoor;
import io.boxd.control.Control;
import io.boxd.proxy.BoxDoor;
import io.boxd.web.WebConfig;
import io.boxd.web.WebServer;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/** The doors that speak HTTP, at the ports that they share: who is meant is said by the host that a request names. */
final class Web implements AutoCloseable {
    private final BoxDoor boxes;
    private final ApiDoor api;
    private final WebServer ports;

    private Web(BoxDoor boxes, ApiDoor api, WebServer ports) {
        this.boxes = boxes;
        this.api = api;
        this.ports = ports;
    }

    /** Opens them; returns when they answer. */
    static Web open(ServerConfig config, SSLContext https, Control control, Supplier<Optional<String>> obstacle) {
        BoxDoor boxes = new BoxDoor(config.domain(), control, Optional.of(config.httpsPort()));
        ApiDoor api = new ApiDoor(
                new ApiConfig(
                        config.domain(), Version.text(), config.rateLimit(), config.metricsOpen(), config.collector()),
                control,
                obstacle);
        WebConfig places = new WebConfig(
                config.bind(), config.httpPort(), Optional.of(new WebConfig.Secure(config.httpsPort(), https)));
        try {
            return new Web(boxes, api, WebServer.open(places, List.of(boxes, api), ApiDoor.refusal()));
        } catch (RuntimeException e) {
            boxes.close();
            api.close();
            throw e;
        }
    }

    int port() {
        return ports.port();
    }

    int securePort() {
        return ports.securePort().orElseThrow();
    }

    /** Ends the doors; whoever streams sees its connection end and may come back. */
    @Override
    public void close() {
        ports.close();
        boxes.close();
        api.close();
    }
}
