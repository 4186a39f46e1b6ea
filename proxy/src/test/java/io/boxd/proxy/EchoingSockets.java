package io.boxd.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Locale;

/** Speaks WebSocket as far as it must to send short texts back. */
final class EchoingSockets implements AutoCloseable {
    private static final String MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int LENGTH = 0x7f;
    private static final int MASK_BYTES = 4;

    private final ServerSocket server;

    EchoingSockets() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void serve(Socket socket) {
        try (socket) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            String key = key(in);
            out.write(("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                            + "Sec-WebSocket-Accept: " + accepted(key) + "\r\n\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1));
            for (int first = in.read(); first >= 0; first = in.read()) {
                int length = in.read() & LENGTH;
                byte[] mask = in.readNBytes(MASK_BYTES);
                byte[] text = in.readNBytes(length);
                for (int i = 0; i < text.length; i++) {
                    text[i] ^= mask[i % MASK_BYTES];
                }
                out.write(first);
                out.write(length);
                out.write(text);
                out.flush();
            }
        } catch (IOException | GeneralSecurityException e) {
            // Whoever spoke has gone.
        }
    }

    private static String key(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.read());
        }
        return head.toString()
                .lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("sec-websocket-key:"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("");
    }

    private static String accepted(String key) throws GeneralSecurityException {
        byte[] hash = MessageDigest.getInstance("SHA-1").digest((key + MAGIC).getBytes(StandardCharsets.US_ASCII));
        return Base64.getEncoder().encodeToString(hash);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
