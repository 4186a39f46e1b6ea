package io.boxd.proxy;

import java.util.List;

/**
 * A request as it has come in, before anything of it is believed.
 *
 * @param target everything behind the host: path and query, or an asterisk
 * @param authority the host that it names, perhaps with a port
 * @param fields in the order in which they came, those of HTTP/2 too
 * @param secure whether it came by TLS
 * @param remote the address of the client
 * @param remotePort its port
 */
record Incoming(
        String method,
        String target,
        String authority,
        List<Field> fields,
        Framing framing,
        boolean secure,
        String remote,
        int remotePort) {
    Incoming {
        fields = List.copyOf(fields);
    }
}
