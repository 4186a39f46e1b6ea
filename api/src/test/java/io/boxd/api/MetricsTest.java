package io.boxd.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class MetricsTest {
    private static final Pattern SAMPLE =
            Pattern.compile("([a-z_]+(?:\\{[a-z]+=\"[^\"]*\"(?:,[a-z]+=\"[^\"]*\")*})?) (-?[0-9.]+)");

    private static HttpResponse<String> ask(TestingDoor door, boolean token) throws IOException {
        HttpRequest.Builder request = token
                ? door.request("/metrics")
                : HttpRequest.newBuilder(door.request("/metrics").build().uri());
        return door.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Every line is one that Prometheus reads, and each family is announced before its samples. */
    private static Map<String, Double> samples(TestingDoor door) throws IOException {
        Map<String, Double> samples = new LinkedHashMap<>();
        String family = "";
        for (String line : ask(door, true).body().lines().toList()) {
            if (line.startsWith("# TYPE ")) {
                family = line.split(" ", -1)[2];
                assertThat(line).matches("# TYPE [a-z_]+ (counter|gauge|histogram)");
            } else if (!line.startsWith("# HELP ")) {
                Matcher matcher = SAMPLE.matcher(line);
                assertThat(matcher.matches()).as(line).isTrue();
                assertThat(line).startsWith(family);
                assertThat(samples.put(matcher.group(1), Double.valueOf(matcher.group(2))))
                        .as("twice: " + line)
                        .isNull();
            }
        }
        return samples;
    }

    @Test
    void requestsAreCountedByVerbAndStatusWithTheirTime() throws IOException {
        try (TestingDoor door = new TestingDoor()) {
            door.house().boxes().add("a");
            door.get("/v1/boxes");
            door.get("/v1/boxes");
            door.get("/v1/boxes/nobody");
            door.get("/v1/no-such-path-1");
            door.get("/v1/no-such-path-2");
            Map<String, Double> samples = samples(door);
            assertThat(samples)
                    .containsEntry("boxd_requests_total{verb=\"list\",status=\"200\"}", 2.0)
                    .containsEntry("boxd_requests_total{verb=\"info\",status=\"404\"}", 1.0)
                    .containsEntry("boxd_requests_total{verb=\"none\",status=\"404\"}", 2.0)
                    .containsEntry("boxd_request_seconds_count{verb=\"list\"}", 2.0)
                    .containsEntry("boxd_request_seconds_bucket{verb=\"list\",le=\"+Inf\"}", 2.0)
                    .containsEntry("boxd_request_seconds_bucket{verb=\"list\",le=\"60\"}", 2.0)
                    .containsEntry("boxd_boxes{status=\"running\"}", 1.0)
                    .containsEntry("boxd_boxes{status=\"hibernated\"}", 0.0)
                    .containsEntry("boxd_open_streams", 0.0);
            assertThat(samples.get("boxd_request_seconds_sum{verb=\"list\"}")).isPositive();
            assertThat(samples.get("jvm_memory_used_bytes{area=\"heap\"}")).isPositive();
            assertThat(samples.get("jvm_threads_current")).isPositive();
        }
    }

    @Test
    void theyNeedTheTokenUnlessTheyAreOpen() throws IOException {
        try (TestingDoor door = new TestingDoor()) {
            assertThat(ask(door, false).statusCode()).isEqualTo(401);
            assertThat(ask(door, true).headers().firstValue("Content-Type")).contains(Exposition.TYPE);
        }
        try (TestingDoor door = new TestingDoor(ApiConfig::withMetricsOpen)) {
            assertThat(ask(door, false).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void textIsEscapedAndNumbersArePlain() {
        Exposition text = new Exposition();
        text.sample("x", java.util.List.of("l", "a\"b\\c\nd"), 12_345_678_901.0);
        assertThat(text.toString()).isEqualTo("x{l=\"a\\\"b\\\\c\\nd\"} 12345678901\n");
        assertThat(Exposition.number(0.0025)).isEqualTo("0.0025");
    }
}
