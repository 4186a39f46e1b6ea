package io.boxd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What callers can ask for, and what they cannot. */
@Tag("unit")
class RequestTest {
    private static final ExecutionId ID = ExecutionId.random();

    @Test
    void commandsAreCheckedBeforeTheyAreSent() {
        assertThatThrownBy(() -> ExecRequest.argv()).isInstanceOf(BoxdException.class);
        assertThatThrownBy(() -> ExecRequest.argv("")).isInstanceOf(BoxdException.class);
        assertThatThrownBy(() -> ExecRequest.argv("a").withEnvironment("A=B", ""))
                .isInstanceOf(BoxdException.class);
        assertThatThrownBy(() -> ExecRequest.argv("a").withKeepBytes(1L << 40)).isInstanceOf(BoxdException.class);
        assertThatThrownBy(() -> new ExecutionId("A".repeat(32))).isInstanceOf(BoxdException.class);
        assertThatThrownBy(() -> ExecRequest.argv("a").withPty(0, 80)).isInstanceOf(BoxdException.class);
        assertThatThrownBy(() -> ExecRequest.argv("a\0b").encode(ID, ExecRequest.Manner.KEPT))
                .hasMessageContaining("zero character");
        assertThatThrownBy(
                        () -> ExecRequest.shell("x".repeat(Wire.MAX_EXEC_BYTES)).encode(ID, ExecRequest.Manner.KEPT))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.hint()).contains("standard input"));
        assertThatThrownBy(() -> ExecRequest.argv("a").withUser("u".repeat(300)).encode(ID, ExecRequest.Manner.KEPT))
                .hasMessageContaining("longer than the limit");
    }

    @Test
    void requestsKeepWhatWasSaid() {
        ExecRequest request = ExecRequest.shell("ls")
                .withEnvironment(Map.of("A", "1"))
                .withEnvironment("B", "2")
                .withCwd("/tmp")
                .withUser("ann")
                .withPty(24, 80)
                .withStdin(true)
                .withKeepBytes(1 << 20);
        assertThat(request.environment()).isEqualTo(Map.of("A", "1", "B", "2"));
        assertThat(request.terminal()).isEqualTo(new ExecRequest.TerminalSize(24, 80));
        assertThat(request.encode(ID, ExecRequest.Manner.FLEETING))
                .startsWith(ID.bytes())
                .containsSequence(0, 0, 0, 0, 0, 16, 0, 0, 1, 7, 0, 24, 0, 80, 0, 3, 'a', 'n', 'n', 0, 4, '/');
    }

    @Test
    void renewalsSayWhichStepsAreMandatory() {
        Renewal renewal = Renewal.full("name", "a".repeat(32), new UUID(1, 2), 3);
        List<StepResult> steps = List.of(new StepResult("rng", 0, ""), new StepResult("clock", 1, "not permitted"));
        RenewalReport report = new RenewalReport(
                EnumSet.of(RenewalStep.RNG, RenewalStep.CLOCK, RenewalStep.BOOT_ID, RenewalStep.HOOKS),
                steps,
                Instant.EPOCH);
        assertThat(report.mandatoryFailures())
                .containsExactly(
                        new StepResult("clock", 1, "not permitted"),
                        new StepResult("boot_id", -1, "was not acknowledged"));
        assertThat(renewal.encode(new byte[64], Instant.ofEpochSecond(1, 5))).startsWith(0, 127);
        assertThat(Renewal.clockOnly().steps()).isEqualTo(Set.of(RenewalStep.CLOCK));
        assertThatThrownBy(() -> Renewal.full("name", "A".repeat(32), new UUID(1, 2), 3))
                .isInstanceOf(BoxdException.class);
    }

    @Test
    void statusesAreNumberedAsShellsDo() {
        assertThat(new ExitStatus.Exited(255).shellCode()).isEqualTo(255);
        assertThat(new ExitStatus.Killed(9, false).shellCode()).isEqualTo(137);
        assertThat(new ExitStatus.Exited(0).succeeded()).isTrue();
        assertThat(new ExitStatus.Killed(9, false).succeeded()).isFalse();
    }
}
