package io.boxd.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Json;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A client of a stream, with the JDK's WebSocket; reads only what a test asks for. */
final class TestingSocket implements WebSocket.Listener, AutoCloseable {
    /** Something that came; text, bytes, or the end. */
    record Message(@Nullable JsonNode text, int channel, ByteBuffer data, boolean end) {
        byte[] bytes() {
            byte[] bytes = new byte[data.remaining()];
            data.duplicate().get(bytes);
            return bytes;
        }
    }

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final long LIMIT_SECONDS = 30;

    private final BlockingQueue<Message> messages = new LinkedBlockingQueue<>();
    private final StringBuilder text = new StringBuilder();
    private final ByteArrayOutputStream binary = new ByteArrayOutputStream();
    private final WebSocket socket;
    private int asked;

    private TestingSocket(TestingDoor door, String path, String protocol) {
        socket = door.client()
                .newWebSocketBuilder()
                .subprotocols(protocol)
                .header("Authorization", "Bearer " + TestingDoor.SECRET)
                .buildAsync(URI.create("ws://127.0.0.1:" + door.port() + path), this)
                .orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    static TestingSocket open(TestingDoor door, String path) {
        return new TestingSocket(door, path, "boxd.v1");
    }

    static TestingSocket openAs(TestingDoor door, String path, String protocol) {
        return new TestingSocket(door, path, protocol);
    }

    @Override
    public void onOpen(WebSocket opened) {
        // Nothing is read before somebody asks.
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        text.append(data);
        if (last) {
            messages.add(new Message(Json.parse(text.toString()), -1, NOTHING, false));
            text.setLength(0);
        } else {
            from.request(1);
        }
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        binary.writeBytes(bytes);
        if (last) {
            byte[] all = binary.toByteArray();
            messages.add(new Message(null, all[0], ByteBuffer.wrap(all, 1, all.length - 1), false));
            binary.reset();
        } else {
            from.request(1);
        }
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onPing(WebSocket from, ByteBuffer message) {
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int status, String reason) {
        messages.add(new Message(null, -1, NOTHING, true));
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        messages.add(new Message(null, -1, NOTHING, true));
    }

    TestingSocket say(String json) {
        socket.sendText(json.replace('\'', '"'), true).join();
        return this;
    }

    void type(byte[] bytes) {
        ByteBuffer message = ByteBuffer.allocate(bytes.length + 1);
        message.put((byte) 0).put(bytes).flip();
        socket.sendBinary(message, true).join();
    }

    void type(String words) {
        type(words.getBytes(StandardCharsets.UTF_8));
    }

    Message next() {
        try {
            if (asked == 0) {
                socket.request(1);
                asked++;
            }
            Message message = messages.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
            assertThat(message).as("a message of the stream").isNotNull();
            asked--;
            return java.util.Objects.requireNonNull(message);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The next message of this kind; bytes before it are added to what was heard. */
    JsonNode await(String kind, ByteArrayOutputStream heard) {
        while (true) {
            Message message = next();
            JsonNode json = message.text();
            if (message.end()) {
                throw new AssertionError("the stream ended before '" + kind + "', after: " + heard);
            }
            if (json == null) {
                heard.writeBytes(message.bytes());
            } else if (json.has(kind)) {
                return json.path(kind);
            } else if (json.has("error")) {
                throw new AssertionError(json.toString());
            }
        }
    }

    JsonNode await(String kind) {
        return await(kind, new ByteArrayOutputStream());
    }

    /** Reads until this was heard. */
    String hear(String wanted) {
        StringBuilder heard = new StringBuilder();
        while (heard.indexOf(wanted) < 0) {
            Message message = next();
            assertThat(message.end()).as("the end, after: " + heard).isFalse();
            if (message.text() == null) {
                heard.append(new String(message.bytes(), StandardCharsets.UTF_8));
            }
        }
        return heard.toString();
    }

    @Override
    public void close() {
        socket.abort();
    }
}
