package io.boxd.proxy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** An application in a box: Java's own server, which answers each path in another way. */
final class TestingApplication implements AutoCloseable {
    private static final int PIECE = 64 << 10;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;
    private final Semaphore events = new Semaphore(0);

    /** @param address of this host at which it listens */
    TestingApplication(String address) throws IOException {
        server = HttpServer.create(new InetSocketAddress(address, 0), 0);
        server.setExecutor(threads);
        handle("/", exchange -> text(exchange, "hello"));
        handle("/unchanged", exchange -> exchange.sendResponseHeaders(304, -1));
        handle("/head", TestingApplication::head);
        handle("/hash", exchange -> text(exchange, hash(exchange)));
        handle("/zeros", TestingApplication::zeros);
        handle("/events", this::tell);
        handle("/cookies", TestingApplication::cookies);
        server.start();
    }

    /** Answers one path. */
    private interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    private void handle(String path, Answer answer) {
        server.createContext(path, exchange -> {
            try (exchange) {
                answer.to(exchange);
            }
        });
    }

    private static void text(HttpExchange exchange, String text) throws IOException {
        byte[] answer = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
    }

    /** What came in, as it came. */
    private static void head(HttpExchange exchange) throws IOException {
        StringBuilder text = new StringBuilder(exchange.getRequestMethod() + " " + exchange.getRequestURI() + "\n");
        Map<String, List<String>> fields = new TreeMap<>(exchange.getRequestHeaders());
        fields.forEach((name, values) -> values.forEach(
                value -> text.append(name).append(": ").append(value).append('\n')));
        text(exchange, text.toString());
    }

    private static String hash(HttpExchange exchange) throws IOException {
        try (DigestInputStream in =
                new DigestInputStream(exchange.getRequestBody(), MessageDigest.getInstance("SHA-256"))) {
            long length = in.transferTo(OutputStream.nullOutputStream());
            return length + " " + HexFormat.of().formatHex(in.getMessageDigest().digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** So many as the query says, in pieces. */
    private static void zeros(HttpExchange exchange) throws IOException {
        long left = Long.parseLong(exchange.getRequestURI().getQuery());
        exchange.sendResponseHeaders(200, 0);
        byte[] piece = new byte[PIECE];
        while (left > 0) {
            int count = (int) Math.min(left, PIECE);
            exchange.getResponseBody().write(piece, 0, count);
            left -= count;
        }
    }

    private void tell(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        for (int i = 0; i < 3; i++) {
            events.acquireUninterruptibly();
            exchange.getResponseBody().write(("data: " + i + "\n\n").getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
        }
    }

    /** One event is told now. */
    void happen() {
        events.release();
    }

    private static void cookies(HttpExchange exchange) throws IOException {
        for (String cookie : List.of(
                "own=1",
                "same=1; Domain="
                        + exchange.getRequestHeaders()
                                .getFirst("X-Forwarded-Host")
                                .replaceAll(":.*", ""),
                "parent=1; Domain=boxd.localhost",
                "dotted=1; domain=.boxd.localhost",
                "top=1; Path=/; DOMAIN = localhost",
                "other=1; Domain=two.boxd.localhost")) {
            exchange.getResponseHeaders().add("Set-Cookie", cookie);
        }
        text(exchange, "");
    }

    int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
