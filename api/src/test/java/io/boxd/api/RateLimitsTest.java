package io.boxd.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class RateLimitsTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1000); // clocks may wrap around
    private final RateLimits limits = new RateLimits(4, now::get);

    private int taken(String caller) {
        int count = 0;
        while (limits.take(caller).isEmpty()) {
            count++;
        }
        return count;
    }

    @Test
    void aBurstPassesAndThenTheRateHolds() {
        assertThat(taken("a")).isEqualTo(4 * RateLimits.BURST_SECONDS);
        assertThat(limits.take("a")).contains(Duration.ofMillis(250));
        now.addAndGet(Duration.ofMillis(100).toNanos());
        assertThat(limits.take("a")).contains(Duration.ofMillis(150));
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(taken("a")).isEqualTo(4);
        now.addAndGet(Duration.ofHours(1).toNanos());
        assertThat(taken("a")).as("no more than a burst is saved up").isEqualTo(4 * RateLimits.BURST_SECONDS);
    }

    @Test
    void callersDoNotPayForEachOther() {
        taken("a");
        assertThat(limits.take("b")).isEmpty();
        for (int i = 0; i < 10_000; i++) {
            limits.take("other " + i);
        }
        assertThat(limits.take("other 9999")).isEmpty();
    }

    @Test
    void zeroIsNoLimit() {
        RateLimits none = new RateLimits(0, now::get);
        for (int i = 0; i < 100_000; i++) {
            assertThat(none.take("a")).isEmpty();
        }
    }

    @Test
    void whoIsTooFastIsToldHowLongToWaitAndHealthIsAlwaysTold() throws IOException {
        try (TestingDoor door = new TestingDoor(config -> config.withRateLimit(1))) {
            for (int i = 0; i < RateLimits.BURST_SECONDS; i++) {
                assertThat(door.get("/v1/status").status()).isEqualTo(200);
            }
            TestingDoor.Answer refused = door.get("/v1/status");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.code()).isEqualTo("resource_exhausted");
            assertThat(Integer.parseInt(refused.header("Retry-After"))).isBetween(1, 2);
            assertThat(refused.header(RequestId.HEADER)).isNotEmpty();
            assertThat(door.get("/healthz").status()).isEqualTo(200);
            assertThat(door.get("/readyz").status()).isEqualTo(200);
            assertThat(door.raw("GET /v1/status HTTP/1.1\nHost: localhost\nConnection: close\n\n"))
                    .as("one without the token is another caller")
                    .startsWith("HTTP/1.1 401");
        }
    }
}
