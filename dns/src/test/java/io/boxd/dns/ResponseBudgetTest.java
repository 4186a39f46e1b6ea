package io.boxd.dns;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nobody is sent more than they could have asked for, and nobody is left without any answer. */
@Tag("unit")
final class ResponseBudgetTest {
    private static final int FLOOD = 10_000;

    private final AtomicLong nanos = new AtomicLong(-5_000_000_000L);
    private final ResponseBudget budget = new ResponseBudget(nanos::get);

    private Map<ResponseBudget.Verdict, Integer> flood(String network) {
        Map<ResponseBudget.Verdict, Integer> verdicts = new EnumMap<>(ResponseBudget.Verdict.class);
        for (int i = 0; i < FLOOD; i++) {
            InetAddress from = InetAddress.ofLiteral(network.formatted(i % 250 + 1));
            verdicts.merge(budget.take(from), 1, Integer::sum);
        }
        return verdicts;
    }

    @Test
    void aNetworkHasItsBudgetAndIsThenToldToComeByTcp() {
        for (String network : new String[] {"198.51.100.%d", "2001:db8:1:2%02x::1"}) {
            Map<ResponseBudget.Verdict, Integer> verdicts = flood(network);
            assertThat(verdicts.get(ResponseBudget.Verdict.SEND)).isEqualTo(ResponseBudget.BURST);
            assertThat(verdicts.get(ResponseBudget.Verdict.COME_BY_TCP)).isEqualTo((FLOOD - ResponseBudget.BURST) / 2);
        }
    }

    @Test
    void theBudgetComesBackWithTimeAndNoFaster() {
        flood("198.51.100.%d");
        nanos.addAndGet(Duration.ofSeconds(2).toNanos());
        assertThat(flood("198.51.100.%d").get(ResponseBudget.Verdict.SEND))
                .isEqualTo(2 * ResponseBudget.ANSWERS_A_SECOND);
        nanos.addAndGet(Duration.ofDays(400).toNanos());
        assertThat(flood("198.51.100.%d").get(ResponseBudget.Verdict.SEND)).isEqualTo(ResponseBudget.BURST);
    }

    @Test
    void othersAreNotMadeToPay() {
        flood("198.51.100.%d");
        int sent = 0;
        for (int network = 0; network < 100; network++) {
            InetAddress other = InetAddress.ofLiteral("203.0." + network + ".1");
            sent += budget.take(other) == ResponseBudget.Verdict.SEND ? 1 : 0;
        }
        assertThat(sent).as("all but who by chance shares a counter").isGreaterThanOrEqualTo(98);
    }
}
