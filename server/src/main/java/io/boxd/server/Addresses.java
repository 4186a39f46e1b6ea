package io.boxd.server;

import java.net.InetAddress;

/** How this host reaches what listens on it. */
final class Addresses {
    private Addresses() {}

    static String url(InetAddress bind, int port) {
        return "http://" + host(bind) + ":" + port;
    }

    private static String host(InetAddress bind) {
        if (bind.isAnyLocalAddress()) {
            return "127.0.0.1";
        }
        String text = bind.getHostAddress();
        return text.indexOf(':') < 0 ? text : "[" + text + "]";
    }
}
