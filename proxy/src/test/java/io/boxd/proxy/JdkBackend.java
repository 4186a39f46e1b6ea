package io.boxd.proxy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The server that comes with Java. */
final class JdkBackend implements TestingBackend {
    private final List<Seen> seen = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    JdkBackend() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().toString();
            seen.add(new Seen(path, exchange.getRequestHeaders().containsKey("X-Forwarded-Host")));
            exchange.getRequestBody().readAllBytes();
            byte[] answer = path.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }

    @Override
    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public List<Seen> seen() {
        return seen;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
