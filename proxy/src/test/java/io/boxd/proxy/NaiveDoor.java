package io.boxd.proxy;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A proxy as it must not be: believes the first length that it finds, and passes every head on as it has come. */
final class NaiveDoor implements AutoCloseable {
    private final ServerSocket server;
    private final int backend;

    NaiveDoor(int backend) throws IOException {
        this.backend = backend;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                Thread.ofVirtual().start(() -> pass(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void pass(Socket visitor) {
        try (visitor;
                Socket box = new Socket(InetAddress.getLoopbackAddress(), backend)) {
            Thread.ofVirtual().start(() -> back(box, visitor));
            InputStream in = new BufferedInputStream(visitor.getInputStream());
            byte[] head = head(in);
            while (head != null) {
                box.getOutputStream().write(head);
                box.getOutputStream().write(in.readNBytes(length(head)));
                box.getOutputStream().flush();
                head = head(in);
            }
            box.shutdownOutput();
            visitor.setSoTimeout(1000);
            in.readAllBytes();
        } catch (IOException e) {
            // One of both has gone.
        }
    }

    private static void back(Socket box, Socket visitor) {
        try {
            box.getInputStream().transferTo(visitor.getOutputStream());
            visitor.shutdownOutput();
        } catch (IOException e) {
            // One of both has gone.
        }
    }

    private static byte @Nullable [] head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        for (int each = in.read(); each >= 0; each = in.read()) {
            head.write(each);
            String text = head.toString(StandardCharsets.ISO_8859_1);
            if (text.endsWith("\r\n\r\n")) {
                String stamped = text.substring(0, text.length() - 2) + "X-Forwarded-Host: x\r\n\r\n";
                return stamped.getBytes(StandardCharsets.ISO_8859_1);
            }
        }
        return null;
    }

    private static int length(byte[] head) {
        for (String line : new String(head, StandardCharsets.ISO_8859_1).split("\r\n", -1)) {
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length: ")) {
                String digits = line.substring("content-length: ".length()).replaceAll("[^0-9].*", "");
                return digits.isEmpty() || digits.length() > 6 ? 0 : Integer.parseInt(digits);
            }
        }
        return 0;
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
