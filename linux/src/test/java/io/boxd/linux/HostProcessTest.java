package io.boxd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class HostProcessTest {
    @Test
    void noticesTheEndOfAProcess() throws IOException {
        Process child = new ProcessBuilder("sleep", "1000").start();
        HostProcess process = HostProcess.of((int) child.pid()).orElseThrow();
        assertThat(process.alive()).isTrue();
        assertThat(process.awaitEnd(Deadline.inMillis(20))).isFalse();
        process.kill();
        assertThat(process.awaitEnd(Deadline.inSeconds(10))).isTrue();
        assertThat(process.alive()).isFalse();
    }

    @Test
    void aReusedPidIsAnotherProcess() {
        int self = (int) ProcessHandle.current().pid();
        long started = HostProcess.of(self).orElseThrow().startTicks();
        assertThat(new HostProcess(self, started).alive()).isTrue();
        assertThat(new HostProcess(self, started - 1).alive()).isFalse();
        assertThat(new HostProcess(self, started - 1).awaitEnd(Deadline.inSeconds(1)))
                .isTrue();
    }

    @Test
    void aProcessLivesAsLongAsAnyOfItsThreads() {
        String rest = " 1 17 17 0 -1 4227340 2922 6457 6 1 6 1 5 10 20 0 %d 0 462846 0 0";
        assertThat(HostProcess.Stat.parse("17 (a) Z b) S" + rest.formatted(1)).dead())
                .isFalse();
        assertThat(HostProcess.Stat.parse("17 (a) Z" + rest.formatted(1)).dead())
                .isTrue();
        assertThat(HostProcess.Stat.parse("17 (a) Z" + rest.formatted(2)).dead())
                .isFalse();
        assertThat(HostProcess.Stat.parse("17 (a) Z" + rest.formatted(2)).startTicks())
                .isEqualTo(462846);
    }

    @Test
    void processorTimeGrowsWithWorkAndIsNothingOfTheDead() {
        HostProcess self = HostProcess.of((int) ProcessHandle.current().pid()).orElseThrow();
        Duration before = self.cpuTime();
        assertThat(before).isPositive();
        Deadline deadline = Deadline.inSeconds(30);
        long spun = 0;
        while (self.cpuTime().equals(before) && !deadline.passed()) {
            spun++;
        }
        assertThat(self.cpuTime()).as("after %d rounds", spun).isGreaterThan(before);
        assertThat(new HostProcess(self.pid(), self.startTicks() + 1).cpuTime()).isZero();
    }
}
