package io.boxd.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.boxd.common.Json;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is read and computed on the way to a figure; the figures themselves depend on the host. */
@Tag("unit")
class ProductFiguresTest {
    private static final Map<String, String> USUAL = Map.of("--rounds", "11", "--output", "file");

    @Test
    void optionsReplaceWhatIsUsual() {
        Options options = Options.parse(new String[] {"--rounds", "3"}, USUAL);
        assertThat(options.number("--rounds")).isEqualTo(3);
        assertThat(options.path("--output")).hasToString("file");
    }

    @Test
    void optionsThatCannotBeMeantAreRefused() {
        assertThatThrownBy(() -> Options.parse(new String[] {"--round", "3"}, USUAL))
                .hasMessageContaining("--round");
        assertThatThrownBy(() -> Options.parse(new String[] {"--rounds"}, USUAL))
                .hasMessageContaining("--rounds");
        assertThatThrownBy(() ->
                        Options.parse(new String[] {"--rounds", "0"}, USUAL).number("--rounds"))
                .hasMessageContaining("at least 1");
    }

    @Test
    void aTrendIsTheBestLineThroughItsPoints() {
        Trend growing = new Trend();
        for (int cycles = 10; cycles <= 100; cycles += 10) {
            growing.add(cycles, 5 + cycles / 20.0);
        }
        assertThat(growing.first()).isEqualTo(5.5);
        assertThat(growing.last()).isEqualTo(10);
        assertThat(growing.perThousand()).isCloseTo(50, within(1e-9));
        Trend single = new Trend();
        single.add(10, 7);
        assertThat(single.perThousand()).isZero();
    }

    @Test
    void aVerbHasItsWholeFirstAndMicrosecondsAsMilliseconds() {
        Verb verb = new Verb();
        verb.add(new Instance.Run(Duration.ofMillis(40), "{}"));
        verb.add(new Instance.Run(Duration.ofMillis(60), "{}"));
        verb.told(Json.parse("{\"resume_us\":500,\"ready_ms\":7}"), "resume_us", "ready_ms");
        assertThat(verb.medians())
                .containsExactly(Map.entry("wall", 50.0), Map.entry("resume", 0.5), Map.entry("ready", 7.0));
        assertThatThrownBy(() -> verb.told(Json.parse("{}"), "ready_ms")).hasMessageContaining("ready_ms");
    }

    @Test
    void aServersReadingsAreFoundInWhatTheHostTells() {
        String histogram = """
                 num     #instances         #bytes  class name (module)
                -------------------------------------------------------
                   1:          1000         120000  [B (java.base@25)
                   2:             1             24  TotalOfOthers
                Total          1001         120024
                """;
        assertThat(ServerGauge.liveBytes(histogram)).isEqualTo(120_024);
        String status = "Name:\tjava\nVmRSS:\t  123456 kB\nThreads:\t42\n";
        assertThat(ServerGauge.statusField(status, "VmRSS")).isEqualTo(123_456);
        assertThat(ServerGauge.statusField(status, "Threads")).isEqualTo(42);
        assertThatThrownBy(() -> ServerGauge.statusField(status, "VmSwap")).hasMessageContaining("VmSwap");
    }

    @Test
    void onlyVirtualThreadsAreCountedInADump() {
        String dump = """
                {"threadDump":{"threadContainers":[
                  {"container":"<root>","threads":[{"tid":1,"name":"main"},{"tid":2,"virtual":true}]},
                  {"container":"pool","threads":[{"tid":3,"virtual":true},{"tid":4,"virtual":false}]}]}}""";
        assertThat(ServerGauge.countVirtual(Json.parse(dump))).isEqualTo(2);
    }
}
