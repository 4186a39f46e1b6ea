package io.boxd.checks.wrong.vmm;

import org.eclipse.jetty.server.Server;

/** An HTTP server in a room that knows no protocol. */
record OwnDoor(Server server) {}
