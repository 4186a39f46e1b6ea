package io.boxd.cli;

import io.boxd.common.PlainJson;
import io.boxd.verbs.Fields;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One stream of the API: an execution's input and output, or a log, over one connection. */
final class BoxStream implements AutoCloseable {
    /** Until the server opens the stream: it may have to wake the box. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final WebSocket socket;

    private BoxStream(WebSocket socket) {
        this.socket = socket;
    }

    static BoxStream open(ServerAddress address, String target, Map<String, @Nullable Object> start)
            throws IOException {
        WebSocket socket = WebSocket.open(address, target, PATIENCE);
        try {
            socket.send(PlainJson.write(Map.of("start", start)));
            return new BoxStream(socket);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** The next message; an end that was not announced is an {@link EOFException}. */
    StreamMessage receive() throws IOException {
        while (true) {
            WebSocket.Message message = socket.receive();
            if (message == null) {
                throw new EOFException("the server closed the stream");
            }
            ByteBuffer content = message.content();
            if (!message.text() && content.hasRemaining()) {
                return new StreamMessage.Output(content.get(), content);
            }
            StreamMessage said =
                    message.text() ? said(StandardCharsets.UTF_8.decode(content).toString()) : null;
            if (said != null) {
                return said;
            }
        }
    }

    /** What the text says, or null if it is something newer than this program. */
    private static @Nullable StreamMessage said(String text) {
        Fields fields = Fields.of(PlainJson.parse(text));
        if (fields.has("started")) {
            Fields started = fields.object("started");
            return new StreamMessage.Started(
                    started.text("exec_id"),
                    started.number("offset", 0),
                    started.flag("tty"),
                    started.text("snapshot_id"),
                    started.number("input_offset"));
        }
        if (fields.has("input_credit")) {
            return new StreamMessage.Credit(fields.number("input_credit", 0));
        }
        if (fields.has("skipped")) {
            return new StreamMessage.Skipped(fields.object("skipped").number("to", 0));
        }
        if (fields.has("ended")) {
            return new StreamMessage.Ended(fields.object("ended"));
        }
        return fields.has("error")
                ? new StreamMessage.Failed(HttpConnection.error(fields.object("error"), "the stream failed"))
                : null;
    }

    /** Sends input: the first byte of {@code message} is left free for the channel. */
    void input(byte[] message, int length) throws IOException {
        message[0] = 0;
        socket.send(message, length);
    }

    void endInput() throws IOException {
        socket.send("{\"end_input\":true}");
    }

    void resize(WindowSize size) throws IOException {
        socket.send(PlainJson.write(Map.of("resize", Map.of("rows", size.rows(), "columns", size.columns()))));
    }

    void signal(String name) throws IOException {
        socket.send(PlainJson.write(Map.of("signal", name)));
    }

    @Override
    public void close() {
        socket.close();
    }
}
