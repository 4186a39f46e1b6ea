package io.boxd.proxy;

import io.boxd.control.TestingControl;
import io.boxd.web.WebConfig;
import io.boxd.web.WebServer;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.server.Response;

/** The real door at a port of its own, over boxes whose agents are processes of this host. */
final class TestingHouse implements AutoCloseable {
    static final String DOMAIN = "boxd.localhost";

    private final TestingControl house = new TestingControl();
    private final BoxDoor door;
    private final WebServer web;

    TestingHouse() {
        this(Optional.empty());
    }

    TestingHouse(Optional<WebConfig.Secure> secure) {
        house.boxes().reachedAt("127.0.0.1");
        door = new BoxDoor(DOMAIN, house.control(), Optional.empty());
        web = WebServer.open(
                new WebConfig(InetAddress.getLoopbackAddress(), 0, secure),
                List.of(door),
                (request, response, callback) -> {
                    Response.writeError(request, response, callback, response.getStatus());
                    return true;
                });
    }

    TestingControl house() {
        return house;
    }

    int port() {
        return web.port();
    }

    int securePort() {
        return web.securePort().orElseThrow();
    }

    /** The host of a box's port, with the door's own port. */
    String host(String box, int port) {
        return port + "-" + box + "." + DOMAIN + ":" + port();
    }

    @Override
    public void close() {
        web.close();
        door.close();
        house.close();
    }
}
