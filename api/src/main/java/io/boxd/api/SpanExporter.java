package io.boxd.api;

import io.boxd.common.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Sends spans to a collector (OTLP over HTTP, as JSON), some at a time and in the background.
 *
 * <p>Whoever hands one over never waits: what does not fit into the queue, or is not taken by the collector, is lost
 * and counted.
 */
final class SpanExporter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpanExporter.class);
    static final int QUEUE = 4096;
    private static final int BATCH = 512;
    private static final Duration GATHERING = Duration.ofSeconds(1);
    private static final Duration SENDING = Duration.ofSeconds(2);
    private static final String PATH = "/v1/traces";
    private static final int LAST_SUCCESS = 299;

    private final BlockingQueue<Span> queue = new ArrayBlockingQueue<>(QUEUE);
    private final URI target;
    private final String version;
    private final LongConsumer lost;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(SENDING)
            .build();
    private final Thread thread = Thread.ofVirtual().name("spans").unstarted(this::run);
    private volatile boolean ending;
    private boolean complained;

    private SpanExporter(URI target, String version, LongConsumer lost) {
        this.target = target;
        this.version = version;
        this.lost = lost;
    }

    /**
     * Begins to send.
     *
     * @param collector where it is; without a path, the usual one
     * @param lost told of how many were lost
     */
    static SpanExporter begin(URI collector, String version, LongConsumer lost) {
        boolean bare = collector.getPath() == null || collector.getPath().length() <= 1;
        SpanExporter exporter = new SpanExporter(bare ? collector.resolve(PATH) : collector, version, lost);
        exporter.thread.start();
        return exporter;
    }

    void add(Span span) {
        if (!queue.offer(span)) {
            lost.accept(1);
        }
    }

    private void run() {
        try {
            while (!ending || !queue.isEmpty()) {
                List<Span> batch = gather();
                if (!batch.isEmpty()) {
                    send(batch);
                }
            }
        } catch (InterruptedException e) {
            lost.accept(queue.size());
            Thread.currentThread().interrupt();
        }
    }

    /** What comes within the time, or as many as fit. */
    private List<Span> gather() throws InterruptedException {
        List<Span> batch = new ArrayList<>();
        long end = System.nanoTime() + GATHERING.toNanos();
        for (long left = GATHERING.toNanos(); left > 0 && batch.size() < BATCH; left = end - System.nanoTime()) {
            Span span = ending ? queue.poll() : queue.poll(left, TimeUnit.NANOSECONDS);
            if (span == null) {
                break;
            }
            batch.add(span);
        }
        return batch;
    }

    private void send(List<Span> batch) throws InterruptedException {
        try {
            HttpRequest request = HttpRequest.newBuilder(target)
                    .timeout(SENDING)
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(Json.write(json(batch))))
                    .build();
            int status =
                    client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            if (status <= LAST_SUCCESS) {
                complained = false;
                return;
            }
            complain("it answers " + status);
        } catch (IOException e) {
            complain(String.valueOf(e));
        }
        lost.accept(batch.size());
    }

    /** Once for each time that it goes away. */
    private void complain(String reason) {
        if (!complained) {
            LOG.warn("the collector at {} takes no spans, they are lost: {}", target, reason);
        }
        complained = true;
    }

    private ObjectNode json(List<Span> batch) {
        ObjectNode request = Json.object();
        ObjectNode resource = request.putArray("resourceSpans").addObject();
        resource.putObject("resource")
                .set("attributes", Span.attributes(Map.of("service.name", "boxd", "service.version", version)));
        ObjectNode scope = resource.putArray("scopeSpans").addObject();
        scope.putObject("scope").put("name", "io.boxd.api");
        ArrayNode spans = scope.putArray("spans");
        batch.forEach(span -> spans.add(span.json()));
        return request;
    }

    /** Sends what is there, but waits no longer than a collector may take for an answer. */
    @Override
    public void close() {
        ending = true;
        try {
            if (!thread.join(SENDING)) {
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        client.shutdownNow();
    }
}
