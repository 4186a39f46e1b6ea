package io.boxd.cli;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A WebSocket as a client sees it: whole messages both ways; asks for a sign of life when it is quiet. */
final class WebSocket implements AutoCloseable {
    private static final String ACCEPT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final String PROTOCOL = "boxd.v1";
    private static final Duration QUIET = Duration.ofSeconds(15);
    private static final int MOST_QUIET_TIMES = 3;
    private static final int MOST_MESSAGE_BYTES = 1 << 20;
    private static final int TEXT = 1;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;

    /** A message; text if {@code text}, else bytes. */
    record Message(boolean text, ByteBuffer content) {}

    private final HttpConnection connection;
    private final InputStream random;
    private final ReentrantLock writing = new ReentrantLock();

    private WebSocket(HttpConnection connection, InputStream random) {
        this.connection = connection;
        this.random = random;
    }

    static WebSocket open(ServerAddress address, String target, Duration patience) throws IOException {
        InputStream random = new FileInputStream("/dev/urandom");
        HttpConnection connection = null;
        try {
            connection = HttpConnection.open(address, patience);
            String key = Base64.getEncoder().encodeToString(random.readNBytes(16));
            connection.send(
                    "GET",
                    target,
                    Map.of(
                            "Connection", "Upgrade",
                            "Upgrade", "websocket",
                            "Sec-WebSocket-Version", "13",
                            "Sec-WebSocket-Protocol", PROTOCOL,
                            "Sec-WebSocket-Key", key),
                    null);
            HttpHead head = connection.receive();
            if (head.status() != 101 || !accepted(key).equals(head.header("sec-websocket-accept"))) {
                throw new IOException("the server did not open a stream, its answer was " + head.status());
            }
            connection.socket().readTimeout(QUIET);
            return new WebSocket(connection, random);
        } catch (IOException | RuntimeException e) {
            random.close();
            if (connection != null) {
                connection.close();
            }
            throw e;
        }
    }

    static String accepted(String key) {
        try {
            byte[] text = HttpHead.bytes(key + ACCEPT);
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-1").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-1", e);
        }
    }

    void send(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        send(TEXT, bytes, bytes.length);
    }

    void send(byte[] content, int length) throws IOException {
        send(BINARY, content, length);
    }

    private void send(int kind, byte[] content, int length) throws IOException {
        writing.lock();
        try {
            int extended = length < 126 ? 0 : length < 65_536 ? 2 : 8;
            byte[] frame = new byte[2 + extended + 4 + length];
            frame[0] = (byte) (0x80 | kind);
            frame[1] = (byte) (0x80 | (extended == 0 ? length : extended == 2 ? 126 : 127));
            for (int i = 0; i < extended; i++) {
                frame[2 + i] = (byte) ((long) length >>> (8 * (extended - 1 - i)));
            }
            byte[] mask = random.readNBytes(4);
            System.arraycopy(mask, 0, frame, 2 + extended, 4);
            for (int i = 0; i < length; i++) {
                frame[6 + extended + i] = (byte) (content[i] ^ mask[i & 3]);
            }
            connection.socket().output().write(frame);
        } finally {
            writing.unlock();
        }
    }

    /** The next message, or null when the server has closed the stream in order. */
    @Nullable
    Message receive() throws IOException {
        ByteArrayOutputStream parts = new ByteArrayOutputStream();
        int kind = 0;
        while (true) {
            int first = readByte();
            int second = readByte();
            int code = first & 0x0F;
            long length = length(second & 0x7F);
            if ((first & 0x70) != 0 || (second & 0x80) != 0 || length + parts.size() > MOST_MESSAGE_BYTES) {
                throw new IOException("the server sent a malformed or too long frame");
            }
            byte[] content = readFully((int) length);
            if (code == CLOSE) {
                return null;
            } else if (code == PING) {
                send(PONG, content, content.length);
            } else if (code == TEXT || code == BINARY || code == 0) {
                kind = code == 0 ? kind : code;
                parts.writeBytes(content);
                if ((first & 0x80) != 0) {
                    return new Message(kind == TEXT, ByteBuffer.wrap(parts.toByteArray()));
                }
            }
        }
    }

    private long length(int stated) throws IOException {
        if (stated < 126) {
            return stated;
        }
        long length = 0;
        for (byte each : readFully(stated == 126 ? 2 : 8)) {
            length = length << 8 | (each & 0xFF);
        }
        return length < 0 ? Long.MAX_VALUE / 2 : length;
    }

    private int readByte() throws IOException {
        return readFully(1)[0] & 0xFF;
    }

    /** Waits as long as the other side answers to pings. */
    private byte[] readFully(int length) throws IOException {
        byte[] bytes = new byte[length];
        int done = 0;
        int quiet = 0;
        while (done < length) {
            try {
                int count = connection.input().read(bytes, done, length - done);
                if (count < 0) {
                    throw new EOFException("the stream broke off");
                }
                done += count;
                quiet = 0;
            } catch (SocketTimeoutException e) {
                quiet++;
                if (quiet >= MOST_QUIET_TIMES) {
                    throw e;
                }
                send(PING, new byte[0], 0);
            }
        }
        return bytes;
    }

    @Override
    public void close() {
        connection.close();
        try {
            random.close();
        } catch (IOException e) {
            // Nothing is lost with a source of random bytes.
            return;
        }
    }
}
