package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Server-sent events as the answer to a request, each of them sent before the next is taken.
 *
 * <p>One thread writes. A client that takes nothing for too long is cut off.
 */
final class EventWriter {
    static final String TYPE = "text/event-stream";

    private final Exchange exchange;

    private EventWriter(Exchange exchange) {
        this.exchange = exchange;
    }

    /** Begins the answer; what goes wrong from now on is an event. */
    static EventWriter begin(Exchange exchange) {
        exchange.begin(Exchange.ok());
        exchange.set("Content-Type", TYPE);
        exchange.set("Cache-Control", "no-store");
        exchange.set("X-Content-Type-Options", "nosniff");
        EventWriter writer = new EventWriter(exchange);
        writer.heartbeat(); // the client learns at once that it was heard
        return writer;
    }

    /** @param id by which the client goes on after this event, if it can */
    void event(String name, Optional<String> id, JsonNode data) {
        StringBuilder text = new StringBuilder();
        id.ifPresent(value -> text.append("id: ").append(value).append('\n'));
        text.append("event: ").append(name).append('\n');
        text.append("data: ").append(Json.write(data)).append("\n\n"); // one line: JSON escapes what would end it
        send(text.toString(), false);
    }

    /** Shows both sides that the other is still there. */
    void heartbeat() {
        send(":\n\n", false);
    }

    /** Nothing follows. */
    void end() {
        send("", true);
    }

    private void send(String text, boolean last) {
        Callback.Completable sent = new Callback.Completable();
        exchange.sink().write(last, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), sent);
        try {
            sent.get(ApiLimits.STALL.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw left(e);
        } catch (TimeoutException e) {
            exchange.breakOff(e);
            throw left(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw left(e);
        }
    }

    private static BoxdException left(@Nullable Exception cause) {
        return new BoxdException(ErrorCode.UNAVAILABLE, "the client has left or does not read", cause);
    }
}
