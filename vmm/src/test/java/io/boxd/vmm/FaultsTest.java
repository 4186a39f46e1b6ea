package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.Execution;
import io.boxd.guest.ShutdownMode;
import io.boxd.linux.HostProcess;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a guest, or bad luck, can do to a machine; each ends clearly, and a neighbour notices nothing. */
@Tag("machine")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FaultsTest {
    private final TestHouse house = TestHouse.get();
    private Machine neighbour;

    FaultsTest() {
        neighbour = house.start(house.tinyBase());
    }

    @BeforeAll
    void neighbourWorks() {
        sh(neighbour, "echo mine > /tmp/mine");
    }

    @AfterAll
    void neighbourIsUnharmed() {
        assertThat(sh(neighbour, "cat /tmp/mine")).isEqualTo("mine");
        neighbour.close();
    }

    @Test
    void aFloodedConsoleStaysBoundedAndTheMachineAnswers() throws Exception {
        try (Machine machine = house.start(house.tinyBase())) {
            sh(machine, "(while :; do echo 0123456789012345678901234567890123456789; done) >/dev/ttyS0 2>&1 &");
            TestHouse.await(Duration.ofSeconds(20), () -> machine.consoleTail().contains("0123456789"));
            assertThat(sh(machine, "echo alive")).isEqualTo("alive");
            assertThat(Files.size(machine.cell().folder().consoleLog())).isLessThan(2L * ConsoleLog.MAX_FILE_BYTES);
        }
    }

    @Test
    void aFloodedChannelStallsNobodyAndGrowsNoHeap() throws Exception {
        try (Machine machine = house.start(house.tinyBase());
                Execution flood =
                        machine.agent().start(ExecRequest.argv("/bin/sh", "-c", "yes"), Deadline.inSeconds(20))) {
            // Nobody reads the flood; its credit runs out and it waits.
            assertThat(sh(machine, "echo alive")).isEqualTo("alive");
            assertThat(sh(neighbour, "echo alive")).isEqualTo("alive");
            byte[] some = flood.stdout().readNBytes(2 << 20);
            assertThat(some).hasSize(2 << 20);
            assertThat(some[0]).isEqualTo((byte) 'y');
        }
    }

    @Test
    void bytesThatTheSourceHadNotSentNeverShowUpInAChild() throws Exception {
        try (Machine source = house.start(house.tinyBase());
                Execution flood =
                        source.agent().start(ExecRequest.argv("/bin/sh", "-c", "yes stale"), Deadline.inSeconds(20))) {
            assertThat(flood.stdout().read()).isEqualTo('s');
            try (Machine child = house.fork(source)) {
                for (int i = 0; i < 5; i++) {
                    assertThat(sh(child, "echo fresh " + i)).isEqualTo("fresh " + i);
                }
            }
            assertThat(flood.stdout().readNBytes(1 << 20)).hasSize(1 << 20);
        }
    }

    @Test
    void aKilledAgentFailsItsCallsAtOnceAndComesBack() {
        try (Machine machine = house.start(house.debianBase());
                Execution sleep =
                        machine.agent().start(ExecRequest.argv("/bin/sleep", "1000"), Deadline.inSeconds(20))) {
            try (Execution kill = machine.agent()
                    .start(ExecRequest.argv("/bin/sh", "-c", "kill -9 $(pidof agent)"), Deadline.inSeconds(20))) {
                assertThatThrownBy(() -> kill.await(Deadline.inSeconds(20)))
                        .isInstanceOf(BoxdException.class)
                        .hasMessageContaining("started anew");
            }
            assertThatThrownBy(() -> sleep.await(Deadline.inSeconds(1)))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("started anew");
            assertThat(sh(machine, "echo back")).isEqualTo("back");
        }
    }

    @Test
    void aPoweredOffMachineSaysSo() throws Exception {
        try (Machine machine = house.start(house.tinyBase())) {
            machine.agent().shutdown(ShutdownMode.POWER_OFF, Deadline.inSeconds(10));
            assertThat(machine.ended().get(30, TimeUnit.SECONDS)).isEqualTo(EndReason.POWERED_OFF);
            assertThat(machine.state()).isEqualTo(Machine.State.ENDED);
            assertThatThrownBy(() -> machine.pause(Deadline.inSeconds(1)))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("POWERED_OFF");
        }
    }

    @Test
    void aRebootIsNoticedAndTheDiskBootsAgain() throws Exception {
        Machine machine = house.start(house.tinyBase());
        try {
            sh(machine, "echo kept > /data/file; sync");
            machine.agent().shutdown(ShutdownMode.REBOOT, Deadline.inSeconds(10));
            assertThat(machine.ended().get(30, TimeUnit.SECONDS)).isEqualTo(EndReason.REBOOT_REQUESTED);
            machine = house.engine().reboot(machine, Identity.fresh("again", 2), Deadline.inSeconds(60));
            assertThat(sh(machine, "cat /data/file")).isEqualTo("kept");
            try (Machine child = house.fork(machine)) {
                assertThat(sh(child, "cat /data/file")).isEqualTo("kept");
            }
        } finally {
            machine.close();
        }
    }

    @Test
    void aPanicIsNoticed() throws Exception {
        try (Machine machine = house.start(house.tinyBase())) {
            try (Execution crash = machine.agent()
                    .start(
                            ExecRequest.argv(
                                    "/bin/sh", "-c", "echo 1 > /proc/sys/kernel/sysrq; echo c > /proc/sysrq-trigger"),
                            Deadline.inSeconds(20))) {
                assertThat(machine.ended().get(30, TimeUnit.SECONDS)).isEqualTo(EndReason.PANICKED);
                assertThatThrownBy(() -> crash.await(Deadline.inSeconds(10)))
                        .isInstanceOf(BoxdException.class)
                        .extracting(e -> ((BoxdException) e).code())
                        .isEqualTo(ErrorCode.UNAVAILABLE);
            }
        }
    }

    @Test
    void aFullDiskIsTheGuestsOwnProblem() {
        try (Machine machine = house.start(house.tinyBase())) {
            assertThat(sh(machine, "dd if=/dev/zero of=/data/full bs=1M 2>&1; true"))
                    .contains("No space left");
            assertThat(sh(machine, "rm /data/full; echo space > /data/again; cat /data/again"))
                    .isEqualTo("space");
            try (Machine child = house.fork(machine)) {
                assertThat(sh(child, "cat /data/again")).isEqualTo("space");
            }
        }
    }

    @Test
    void aKilledProcessEndsItsMachineAndEveryCall() throws Exception {
        try (Machine machine = house.start(house.tinyBase());
                Execution sleep =
                        machine.agent().start(ExecRequest.argv("/bin/sleep", "1000"), Deadline.inSeconds(20))) {
            HostProcess.of(machine.pid()).orElseThrow().kill();
            assertThat(machine.ended().get(10, TimeUnit.SECONDS)).isEqualTo(EndReason.PROCESS_DIED);
            assertThatThrownBy(() -> sleep.await(Deadline.inSeconds(10)))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("gone");
            assertThatThrownBy(() -> house.fork(machine))
                    .isInstanceOf(BoxdException.class)
                    .extracting(e -> ((BoxdException) e).code())
                    .isEqualTo(ErrorCode.WRONG_STATE);
        }
    }
}
