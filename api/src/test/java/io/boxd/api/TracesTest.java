package io.boxd.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.ErrorCode;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Spans on their way to a collector, which may be slow or away. */
@Tag("unit")
class TracesTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PARENT = "b7ad6b7169203331";

    private static Map<String, String> attributes(JsonNode of) {
        Map<String, String> attributes = new HashMap<>();
        of.path("attributes").forEach(attribute -> {
            JsonNode value = attribute.path("value");
            attributes.put(
                    attribute.path("key").asString(),
                    value.path("stringValue").asString(value.path("intValue").asString("")));
        });
        return attributes;
    }

    private static List<JsonNode> spans(TestingCollector collector, int count) throws InterruptedException {
        List<JsonNode> spans = new ArrayList<>();
        while (spans.size() < count) {
            JsonNode resource = collector.next().path("resourceSpans").path(0);
            assertThat(attributes(resource.path("resource"))).containsEntry("service.name", "boxd");
            resource.path("scopeSpans").path(0).path("spans").forEach(spans::add);
        }
        return spans;
    }

    @Test
    void eachRequestIsASpan() throws Exception {
        try (TestingCollector collector = new TestingCollector();
                TestingDoor door = new TestingDoor(config -> config.withCollector(collector.url()))) {
            Instant before = Instant.now();
            String id = door.house().boxes().add("a").id();
            HttpRequest request = door.request("/v1/boxes/a")
                    .header("traceparent", "00-" + TRACE + "-" + PARENT + "-01")
                    .header(RequestId.HEADER, "mine")
                    .build();
            door.send(request, HttpResponse.BodyHandlers.discarding());
            door.house().failWith(ErrorCode.INTERNAL);
            door.get("/v1/boxes/nobody/why");
            List<JsonNode> spans = spans(collector, 2);
            JsonNode first = spans.getFirst();
            assertThat(first.path("traceId").asString()).isEqualTo(TRACE);
            assertThat(first.path("parentSpanId").asString()).isEqualTo(PARENT);
            assertThat(first.path("spanId").asString()).matches("[0-9a-f]{16}").isNotEqualTo(PARENT);
            assertThat(first.path("name").asString()).isEqualTo("info");
            assertThat(first.path("kind").asInt()).isEqualTo(2);
            assertThat(attributes(first))
                    .containsEntry("boxd.verb", "info")
                    .containsEntry("boxd.box", id)
                    .containsEntry("boxd.request_id", "mine")
                    .containsEntry("http.request.method", "GET")
                    .containsEntry("http.response.status_code", "200");
            long start = Long.parseLong(first.path("startTimeUnixNano").asString());
            long end = Long.parseLong(first.path("endTimeUnixNano").asString());
            assertThat(start / 1_000_000)
                    .isBetween(before.toEpochMilli(), Instant.now().toEpochMilli());
            assertThat(end).isGreaterThan(start);
            assertThat(first.path("status").has("code")).isFalse();
            JsonNode second = spans.get(1);
            assertThat(second.has("parentSpanId")).isFalse();
            assertThat(second.path("traceId").asString())
                    .matches("[0-9a-f]{32}")
                    .isNotEqualTo(TRACE);
            assertThat(second.path("status").path("code").asInt()).isEqualTo(2);
            assertThat(attributes(second)).containsEntry("boxd.box", "nobody");
        }
    }

    @Test
    void aCollectorThatIsAwayOrSlowHoldsNobodyUp() throws Exception {
        try (TestingCollector slow = new TestingCollector()) {
            slow.beSlow();
            for (URI collector : List.of(URI.create("http://127.0.0.1:1"), slow.url())) {
                try (TestingDoor door = new TestingDoor(config -> config.withCollector(collector))) {
                    long began = System.nanoTime();
                    for (int i = 0; i < 200; i++) {
                        assertThat(door.get("/healthz").status()).isEqualTo(200);
                    }
                    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
                }
            }
        }
    }

    @Test
    void whatDoesNotFitIsLostAndCounted() throws Exception {
        AtomicLong lost = new AtomicLong();
        Span span = new Span(TraceContext.of(Optional.empty()), "x", 1, 2, Map.of(), false);
        try (TestingCollector collector = new TestingCollector()) {
            collector.beSlow();
            SpanExporter exporter = SpanExporter.begin(collector.url(), "1", lost::addAndGet);
            int many = 3 * SpanExporter.QUEUE;
            for (int i = 0; i < many; i++) {
                exporter.add(span);
            }
            assertThat(lost.get()).isGreaterThanOrEqualTo(SpanExporter.QUEUE);
            exporter.close();
        }
    }

    @Test
    void nonsenseOfACallerBeginsATraceOfOurOwn() {
        for (String said : List.of("", "00-x", "00-" + "0".repeat(32) + "-" + PARENT + "-01", "01-" + TRACE)) {
            TraceContext context = TraceContext.of(Optional.of(said));
            assertThat(context.parent()).isEmpty();
            assertThat(context.trace()).matches("[0-9a-f]{32}");
        }
    }
}
