package io.boxd.api;

import io.boxd.common.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Writes an answer as server-sent events, which browsers and many tools read by themselves; each has left when its
 * call returns, so whoever does not read holds up nobody but himself.
 */
final class ServerSentEvents {
    static final String TYPE = "text/event-stream";
    /** With which a client that was cut off says what it has seen last. */
    static final String LAST_SEEN = "Last-Event-ID";

    private final OutputStream out;

    private ServerSentEvents(OutputStream out) {
        this.out = out;
    }

    static ServerSentEvents begin(Exchange exchange) {
        exchange.begin(Exchange.ok());
        exchange.set("Content-Type", TYPE);
        exchange.set("Cache-Control", "no-store");
        exchange.set("X-Content-Type-Options", "nosniff");
        return new ServerSentEvents(exchange.content());
    }

    /** @param id with which the client can go on behind this one; none: it cannot */
    void send(String kind, Optional<String> id, JsonNode data) throws IOException {
        String text = id.map(each -> "id: " + each + "\n").orElse("") + "event: " + kind + "\ndata: " + Json.write(data)
                + "\n\n";
        write(text);
    }

    /** Nothing, to see whether the client is still there. */
    void ping() throws IOException {
        write(":\n\n");
    }

    private void write(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
