package io.boxd.proxy;

import io.boxd.control.Control;
import io.boxd.web.Site;
import java.util.Optional;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;

/** The door to boxes by their names, at whatever ports it is asked. */
public final class BoxDoor implements Site, AutoCloseable {
    private final BoxNames names;
    private final String api;
    private final Control control;
    private final Optional<SecureOnly> secured;
    private final SpareLines spares = new SpareLines();
    private final Watch watch = new Watch(spares::sweep);

    /**
     * The door under a domain.
     *
     * @param domain under which boxes have their names, in lower case
     * @param securePort to which those are sent who come without TLS; under names of this host nobody is
     */
    public BoxDoor(String domain, Control control, Optional<Integer> securePort) {
        this.names = new BoxNames(domain);
        this.api = "api." + domain;
        this.control = control;
        boolean local = domain.equals("localhost") || domain.endsWith(".localhost");
        this.secured = local ? Optional.empty() : securePort.map(SecureOnly::new);
    }

    /** All that is below the domain, but for the API's name. */
    @Override
    public boolean serves(String host) {
        return names.contain(host) && !host.equals(api);
    }

    @Override
    public Handler handler(Server server) {
        return new BoxHandler(names, control, spares, watch, secured);
    }

    /** Closes what was kept for later requests. */
    @Override
    public void close() {
        watch.close();
        spares.close();
    }
}
