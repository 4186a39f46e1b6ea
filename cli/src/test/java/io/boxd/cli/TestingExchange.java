package io.boxd.cli;

import io.boxd.common.PlainJson;
import io.boxd.verbs.Fields;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** The server's side of one connection: an answer, or a WebSocket. */
final class TestingExchange {
    private final Socket socket;
    private final InputStream input;
    private final OutputStream output;
    private final Map<String, String> headers;

    TestingExchange(Socket socket, InputStream input, OutputStream output, Map<String, String> headers) {
        this.socket = socket;
        this.input = input;
        this.output = output;
        this.headers = headers;
    }

    InputStream content() throws IOException {
        return BodyInput.of(new HttpHead(200, headers), input);
    }

    void json(int status, String json) throws IOException {
        bytes(status, Map.of("Content-Type", "application/json"), json.getBytes(StandardCharsets.UTF_8));
    }

    void error(int status, String code, String message) throws IOException {
        json(status, PlainJson.write(Map.of("error", Map.of("code", code, "message", message, "hint", "do better"))));
    }

    void bytes(int status, Map<String, String> more, byte[] content) throws IOException {
        StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Whatever\r\n");
        more.forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
        head.append("Content-Length: " + content.length + "\r\n\r\n");
        output.write(HttpHead.bytes(head.toString()));
        output.write(content);
        output.flush();
    }

    /** Bytes as they are, and then the end. */
    void raw(String answer) throws IOException {
        output.write(HttpHead.bytes(answer));
        output.flush();
    }

    /** Begins a content in chunks. */
    OutputStream chunks(Map<String, String> more) throws IOException {
        StringBuilder head = new StringBuilder("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n");
        more.forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
        output.write(HttpHead.bytes(head + "\r\n"));
        return new ChunkedOutput(output);
    }

    /** Accepts the WebSocket and gives the client's first message. */
    Fields accept() throws IOException {
        try {
            byte[] key = HttpHead.bytes(headers.get("sec-websocket-key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
            String accept = Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-1").digest(key));
            output.write(HttpHead.bytes("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                    + "Connection: Upgrade\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\n"));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
        return Fields.of(PlainJson.parse(text())).object("start");
    }

    void say(Object message) throws IOException {
        frame(1, PlainJson.write(message).getBytes(StandardCharsets.UTF_8));
    }

    void started(String execution, long offset, boolean tty) throws IOException {
        say(Map.of("started", Map.of("exec_id", execution, "offset", offset, "tty", tty)));
    }

    void output(int channel, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        byte[] message = new byte[1 + bytes.length];
        message[0] = (byte) channel;
        System.arraycopy(bytes, 0, message, 1, bytes.length);
        frame(2, message);
    }

    void ended(int exitCode) throws IOException {
        say(Map.of("ended", Map.of("exit_code", exitCode, "timed_out", false, "duration_ms", 5)));
        frame(8, new byte[] {3, (byte) 0xE8});
    }

    void killed(String signal) throws IOException {
        Map<String, Object> end = new LinkedHashMap<>(Map.of("signal", signal, "timed_out", false, "duration_ms", 5));
        end.put("exit_code", null);
        say(Map.of("ended", end));
    }

    private synchronized void frame(int kind, byte[] content) throws IOException {
        int length = content.length;
        if (length < 126) {
            output.write(new byte[] {(byte) (0x80 | kind), (byte) length});
        } else {
            output.write(new byte[] {(byte) (0x80 | kind), 126, (byte) (length >> 8), (byte) length});
        }
        output.write(content);
        output.flush();
    }

    /** The next message of the client: {@code input:…}, or the text itself. */
    String text() throws IOException {
        while (true) {
            int first = input.read();
            if (first < 0) {
                throw new IOException("the client has gone");
            }
            int length = input.read() & 0x7F;
            if (length == 126) {
                length = input.read() << 8 | input.read();
            } else if (length == 127) {
                throw new IOException("the client sent a message that is too long");
            }
            byte[] mask = input.readNBytes(4);
            byte[] content = input.readNBytes(length);
            for (int i = 0; i < length; i++) {
                content[i] ^= mask[i & 3];
            }
            int kind = first & 0x0F;
            if (kind == 2) {
                return "input:" + new String(content, 1, length - 1, StandardCharsets.UTF_8);
            } else if (kind == 1) {
                return new String(content, StandardCharsets.UTF_8);
            } else if (kind == 9) {
                frame(10, content);
            }
        }
    }

    /** Breaks the connection without a word. */
    void breakOff() throws IOException {
        socket.shutdownOutput();
        long unread = input.transferTo(OutputStream.nullOutputStream());
        assert unread >= 0;
    }
}
