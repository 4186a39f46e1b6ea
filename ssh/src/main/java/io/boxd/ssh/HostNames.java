package io.boxd.ssh;

import java.util.List;

/** Under which names clients may know a server. */
final class HostNames {
    private HostNames() {}

    /** The server's own domain, all boxes below it, and this host. */
    static List<String> of(String domain) {
        return List.of(domain, "*." + domain, "localhost", "127.0.0.1", "::1");
    }
}
