package io.boxd.proxy;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A reader of HTTP as careless as they come: takes almost anything for a length, and goes on behind it. */
final class SloppyBackend implements TestingBackend {
    private final List<Seen> seen = new CopyOnWriteArrayList<>();
    private final ServerSocket server;
    private final boolean prefersChunks;

    /** @param prefersChunks which of two lengths it believes */
    SloppyBackend(boolean prefersChunks) throws IOException {
        this.prefersChunks = prefersChunks;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
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

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            while (one(in, socket)) {
                // as long as somebody says something
            }
        } catch (IOException e) {
            // Whoever spoke has gone.
        }
    }

    private boolean one(InputStream in, Socket socket) throws IOException {
        String first = line(in);
        if (first == null) {
            return false;
        }
        if (first.isEmpty()) {
            return true;
        }
        long length = 0;
        boolean chunked = false;
        boolean stamped = false;
        for (String line = line(in); line != null && !line.isEmpty(); line = line(in)) {
            String lower = line.toLowerCase(Locale.ROOT)
                    .replace('_', '-')
                    .replace('.', '-')
                    .strip();
            if (lower.startsWith("content-length")) {
                length = number(lower);
            } else if (lower.startsWith("transfer-encoding")) {
                chunked |= lower.contains("chunked");
            }
            stamped |= lower.startsWith("x-forwarded-host:");
        }
        String[] words = first.split(" ", -1);
        String path = words.length > 1 ? words[1] : first;
        seen.add(new Seen(path, stamped));
        if (chunked && (prefersChunks || length == 0)) {
            skipChunks(in);
        } else {
            in.skipNBytes(length);
        }
        byte[] answer = path.getBytes(StandardCharsets.ISO_8859_1);
        String head = "HTTP/1.1 200 OK\r\nContent-Length: " + answer.length + "\r\n\r\n";
        socket.getOutputStream().write((head + path).getBytes(StandardCharsets.ISO_8859_1));
        return true;
    }

    private static void skipChunks(InputStream in) throws IOException {
        while (true) {
            String line = line(in);
            long size = line == null ? 0 : number("x:" + Long.toString(hex(line)));
            if (size == 0) {
                for (String trailer = line(in); trailer != null && !trailer.isEmpty(); trailer = line(in)) {
                    // skipped
                }
                return;
            }
            in.skipNBytes(size);
            line(in);
        }
    }

    private static long hex(String line) {
        String digits = line.strip().replaceAll("[^0-9a-fA-F].*", "");
        return digits.isEmpty() || digits.length() > 8 ? 0 : Long.parseLong(digits, 16);
    }

    private static long number(String line) {
        String digits = line.substring(line.indexOf(':') + 1).strip().replaceAll("[^0-9].*", "");
        return digits.isEmpty() || digits.length() > 8 ? 0 : Long.parseLong(digits);
    }

    private static @Nullable String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        int each = in.read();
        if (each < 0) {
            return null;
        }
        while (each >= 0 && each != '\n') {
            line.append((char) each);
            each = in.read();
        }
        return line.toString().stripTrailing();
    }

    @Override
    public int port() {
        return server.getLocalPort();
    }

    @Override
    public List<Seen> seen() {
        return seen;
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
