package io.boxd.cli;

import io.boxd.common.PlainJson;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A server that speaks docs/api.md over real sockets, and says what a test wants it to say. */
final class TestingServer implements AutoCloseable {
    static final String TOKEN = "secret-token";

    /** A request as it came, content and all. */
    record Heard(String method, String target, Map<String, String> headers, String body) {}

    /** Answers one request over its connection. */
    interface Answer {
        void give(Heard heard, TestingExchange exchange) throws IOException;
    }

    private final ServerSocket listener;
    private final String scheme;
    private final Thread acceptor;
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final List<Heard> heard = new CopyOnWriteArrayList<>();
    private final List<Socket> open = new CopyOnWriteArrayList<>();

    TestingServer() throws IOException {
        this(0);
    }

    /** On this port, as one that is started again. */
    TestingServer(int port) throws IOException {
        this(new ServerSocket(), port, "http");
    }

    /** Speaks what comes out of the listener, which is not bound yet. */
    TestingServer(ServerSocket listener, int port, String scheme) throws IOException {
        this.listener = listener;
        this.scheme = scheme;
        listener.setReuseAddress(true);
        listener.bind(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        acceptor = Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    String url() {
        return scheme + "://127.0.0.1:" + port();
    }

    Map<String, String> environment() {
        return Map.of("BOXD_URL", url(), "BOXD_TOKEN", TOKEN);
    }

    /** Makes the folder a home of this server. */
    void settle(Path home) throws IOException {
        Files.createDirectories(home);
        Files.writeString(home.resolve("token"), TOKEN + "\n");
        Files.writeString(
                home.resolve("server.json"), PlainJson.write(Map.of("pid", 1, "url", url(), "home", home.toString())));
    }

    /** How requests are answered whose method and path are these. */
    TestingServer on(String methodAndPath, Answer answer) {
        answers.put(methodAndPath, answer);
        return this;
    }

    TestingServer json(String methodAndPath, int status, String json) {
        return on(methodAndPath, (request, exchange) -> exchange.json(status, json));
    }

    List<Heard> heard() {
        return List.copyOf(heard);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                open.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream input = new BufferedInputStream(socket.getInputStream());
            OutputStream output = socket.getOutputStream();
            String[] first = HttpHead.line(input, 10_000).split(" ", -1);
            Map<String, String> headers = new TreeMap<>();
            for (String line = HttpHead.line(input, 10_000); !line.isEmpty(); line = HttpHead.line(input, 10_000)) {
                int colon = line.indexOf(':');
                headers.put(line.substring(0, colon).toLowerCase(java.util.Locale.ROOT), line.substring(colon + 2));
            }
            boolean upgrade = headers.containsKey("upgrade");
            String method = upgrade ? "SOCKET" : first[0];
            String path = first[1].split("\\?", 2)[0];
            TestingExchange exchange = new TestingExchange(socket, input, output, headers);
            Answer answer = find(method + " " + path);
            boolean streams = answer instanceof Streaming;
            Heard request = new Heard(method, first[1], headers, upgrade || streams ? "" : body(headers, input));
            heard.add(request);
            if (path.equals("/healthz") && answer != null) {
                answer.give(request, exchange);
            } else if (!("Bearer " + TOKEN).equals(headers.get("authorization"))) {
                exchange.error(401, "unauthenticated", "the token is not right");
            } else if (answer == null) {
                exchange.error(404, "not_found", "nothing answers " + method + " " + path);
            } else {
                answer.give(request, exchange);
            }
        } catch (IOException e) {
            // The client has gone, which is its right.
        }
    }

    /** An answer that reads the content by itself. */
    interface Streaming extends Answer {}

    private @Nullable Answer find(String key) {
        return answers.get(key);
    }

    private static String body(Map<String, String> headers, InputStream input) throws IOException {
        boolean none = !headers.containsKey("content-length") && !headers.containsKey("transfer-encoding");
        return none
                ? ""
                : new String(BodyInput.of(new HttpHead(200, headers), input).readAllBytes(), StandardCharsets.UTF_8);
    }

    /** Ends as if killed: every connection breaks. */
    @Override
    public void close() throws IOException {
        listener.close();
        try {
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Socket socket : open) {
            socket.close();
        }
    }
}
