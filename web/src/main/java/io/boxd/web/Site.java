package io.boxd.web;

import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;

/** What is served under some host names. */
public interface Site {
    /**
     * Whether a request for this host is its.
     *
     * @param host in lower case, without a port; empty if the request names none
     */
    boolean serves(String host);

    /** Answers its requests; asked for once, before the ports are opened. */
    Handler handler(Server server);
}
