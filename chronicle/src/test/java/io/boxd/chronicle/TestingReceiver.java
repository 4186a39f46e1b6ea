package io.boxd.chronicle;

import com.sun.net.httpserver.HttpServer;
import io.boxd.common.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;

/** Somebody who is told of events, and remembers what; can be made to fail. */
public final class TestingReceiver implements AutoCloseable {
    private final HttpServer server;
    private final List<Received> received = new ArrayList<>();
    private int status = 200;
    private int failures;

    /** What came, as it came. */
    public record Received(String path, String signature, String body) {
        /** Whether whoever sent it knows the secret, and has signed just this. */
        public boolean isSignedWith(String secret) {
            String[] parts = signature.split("[=,]", -1);
            long seconds = Long.parseLong(parts[1]);
            return signature.equals(WebhookSender.signature(secret, java.time.Instant.ofEpochSecond(seconds), body));
        }
    }

    public TestingReceiver() {
        this(0);
    }

    /** At a port that somebody had before. */
    public TestingReceiver(int port) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 16);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String signature = exchange.getRequestHeaders().getFirst(WebhookSender.SIGNATURE);
            int answer =
                    take(new Received(exchange.getRequestURI().toString(), signature == null ? "" : signature, body));
            if (answer / 100 == 3) {
                exchange.getResponseHeaders().set("Location", "/elsewhere");
            }
            exchange.sendResponseHeaders(answer, -1);
            exchange.close();
        });
        server.start();
    }

    private synchronized int take(Received one) {
        if (status / 100 != 2) {
            failures++;
            notifyAll();
            return status;
        }
        received.add(one);
        notifyAll();
        return status;
    }

    /** From now on it answers with this. */
    public synchronized void answer(int newStatus) {
        status = newStatus;
    }

    public String url() {
        return "http://127.0.0.1:" + port() + "/hook?a=b";
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public synchronized List<Received> received() {
        return List.copyOf(received);
    }

    /** Waits until so many were taken. */
    public synchronized List<Received> await(int count) throws InterruptedException {
        Deadline deadline = Deadline.inSeconds(60);
        while (received.size() < count) {
            if (deadline.passed()) {
                throw deadline.exceeded("waiting for " + count + " events; there are " + received.size());
            }
            wait(Math.max(1, deadline.leftMillis()));
        }
        return received();
    }

    synchronized void awaitFailures(int count) throws InterruptedException {
        Deadline deadline = Deadline.inSeconds(60);
        while (failures < count) {
            if (deadline.passed()) {
                throw deadline.exceeded("waiting for " + count + " refusals");
            }
            wait(Math.max(1, deadline.leftMillis()));
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
