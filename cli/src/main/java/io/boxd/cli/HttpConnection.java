package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.verbs.Fields;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One request and its answer over one connection, both streamed. */
final class HttpConnection implements AutoCloseable {
    /** Of an answer that is read at once: larger ones are streamed. */
    private static final int MOST_TEXT_BYTES = 64 << 20;

    private static final int CHUNK_BYTES = 64 * 1024;
    private static final int TLS_ALERT = 0x15;
    private static final int TLS_HANDSHAKE = 0x16;

    private final ServerAddress address;
    private final PatientSocket socket;
    private final InputStream input;

    private HttpConnection(ServerAddress address, PatientSocket socket) throws IOException {
        this.address = address;
        this.socket = socket;
        this.input = new BufferedInputStream(socket.input(), CHUNK_BYTES);
    }

    static HttpConnection open(ServerAddress address, Duration patience) throws IOException {
        return new HttpConnection(address, PatientSocket.connect(address, patience));
    }

    /** Sends a request whose content is at hand. */
    void send(String method, String target, Map<String, String> headers, byte @Nullable [] content) throws IOException {
        write(head(method, target, headers), content);
    }

    private void write(StringBuilder head, byte @Nullable [] content) throws IOException {
        if (content != null) {
            head.append("Content-Length: ").append(content.length).append("\r\n");
        }
        byte[] start = HttpHead.bytes(head.append("\r\n").toString());
        byte[] all = java.util.Arrays.copyOf(start, start.length + (content == null ? 0 : content.length));
        if (content != null) {
            System.arraycopy(content, 0, all, start.length, content.length);
        }
        socket.output().write(all);
    }

    /** Writes the content of a request. */
    interface ContentWriter<T> {
        T write(OutputStream output) throws IOException;
    }

    /** Sends a request whose content is written meanwhile; a server that refuses it before its end is heard. */
    <T> T send(String method, String target, ContentWriter<T> writer) throws IOException {
        StringBuilder head = head(method, target, Map.of()).append("Transfer-Encoding: chunked\r\n\r\n");
        try {
            socket.output().write(HttpHead.bytes(head.toString()));
            OutputStream output = new ChunkedOutput(socket.output());
            T written = writer.write(output);
            output.close();
            return written;
        } catch (RefusedContentException e) {
            receive();
            throw e;
        }
    }

    /** Sends a request to somebody who is not known yet. */
    void sendWithoutToken(String method, String target, byte @Nullable [] content) throws IOException {
        Map<String, String> headers = content == null ? Map.of() : Map.of("Content-Type", "application/json");
        write(unsigned(method, target, headers), content);
    }

    private StringBuilder head(String method, String target, Map<String, String> headers) {
        return unsigned(method, target, headers).append("Authorization: Bearer " + address.token() + "\r\n");
    }

    private StringBuilder unsigned(String method, String target, Map<String, String> headers) {
        StringBuilder head = new StringBuilder()
                .append(method + " " + target + " HTTP/1.1\r\n")
                .append("Host: " + address.url().authority() + "\r\n");
        headers.forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
        return head;
    }

    /** The head of the answer; an error of the server is thrown as such. */
    HttpHead receive() throws IOException {
        if (!address.url().secure() && isTls(input)) {
            throw Unreachable.speaksTls(address.url());
        }
        HttpHead head = HttpHead.read(input);
        while (head.status() == 100) {
            head = HttpHead.read(input);
        }
        if (head.status() >= 400) {
            throw error(head.status(), text(head));
        }
        return head;
    }

    /** Whether a server that wants TLS complains, or says hello itself, where an answer should begin. */
    private static boolean isTls(InputStream input) throws IOException {
        input.mark(1);
        int first = input.read();
        input.reset();
        return first == TLS_ALERT || first == TLS_HANDSHAKE;
    }

    InputStream content(HttpHead head) throws IOException {
        return BodyInput.of(head, input);
    }

    String text(HttpHead head) throws IOException {
        byte[] bytes = content(head).readNBytes(MOST_TEXT_BYTES + 1);
        if (bytes.length > MOST_TEXT_BYTES) {
            throw new IOException("the answer is longer than " + MOST_TEXT_BYTES + " bytes");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** What is left of the connection after a change of protocol. */
    PatientSocket socket() {
        return socket;
    }

    InputStream input() {
        return input;
    }

    private static BoxdException error(int status, String text) {
        Fields error = Fields.of(null);
        try {
            error = Fields.of(PlainJson.parse(text)).object("error");
        } catch (BoxdException e) {
            // Something between us and the server answered in its own way: the status is all there is.
        }
        return error(error, "the server answered with status " + status);
    }

    /** An error as the API writes it. */
    static BoxdException error(Fields error, String otherwise) {
        ErrorCode code = ErrorCode.INTERNAL;
        for (ErrorCode each : ErrorCode.values()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(error.text("code"))) {
                code = each;
            }
        }
        return new BoxdException(code, error.text("message", otherwise), error.text("hint"), null);
    }

    @Override
    public void close() {
        socket.close();
    }
}
