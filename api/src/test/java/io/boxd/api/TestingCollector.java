package io.boxd.api;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.boxd.common.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A collector of traces that keeps what it is sent. */
final class TestingCollector implements AutoCloseable {
    private final HttpServer server;
    private final BlockingQueue<JsonNode> batches = new LinkedBlockingQueue<>();
    private final CountDownLatch patience = new CountDownLatch(1);
    private volatile boolean slow;

    TestingCollector() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/traces", this::take);
        server.start();
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** From now on it takes what comes and never answers. */
    void beSlow() {
        slow = true;
    }

    private void take(HttpExchange exchange) throws IOException {
        String text = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        if (slow) {
            try {
                if (!patience.await(60, TimeUnit.SECONDS)) {
                    throw new IOException("nobody closed the collector");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        if (exchange.getRequestHeaders().getFirst("Content-Type").equals("application/json")) {
            batches.add(Json.parse(text));
        }
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
    }

    /** The next batch, which must come soon. */
    JsonNode next() throws InterruptedException {
        @Nullable JsonNode batch = batches.poll(20, TimeUnit.SECONDS);
        if (batch == null) {
            throw new AssertionError("no spans came");
        }
        return batch;
    }

    @Override
    public void close() {
        patience.countDown();
        server.stop(0);
    }
}
