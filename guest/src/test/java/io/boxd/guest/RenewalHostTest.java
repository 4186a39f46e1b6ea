package io.boxd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Renewals by the real agent, of files below a folder only: an agent on a socket leaves the kernel of
 * the host it runs on alone, which is tested here too.
 */
@Tag("host")
class RenewalHostTest {
    private static final String MACHINE_ID = "0123456789abcdef0123456789abcdef";

    @TempDir
    private Path root;

    private static Deadline soon() {
        return Deadline.inSeconds(30);
    }

    private static Renewal renewal(RenewalStep first, RenewalStep... others) {
        return new Renewal(EnumSet.of(first, others), "new-name", MACHINE_ID, UUID.randomUUID(), 7);
    }

    private void hook(String name, String text) throws IOException {
        Path hooks = Files.createDirectories(root.resolve("etc/boxd/on-fork.d"));
        Path hook = Files.writeString(hooks.resolve(name), "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(hook, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void changesFilesAndRunsHooksInOrder() throws IOException {
        Files.createDirectories(root.resolve("etc"));
        Files.writeString(root.resolve("etc/hosts"), "127.0.0.1 localhost\n127.0.1.1 old\n");
        Path dbus = Files.createDirectories(root.resolve("var/lib/dbus")).resolve("machine-id");
        Files.writeString(dbus, "old\n");
        hook("20-second", "echo second $BOXD_GENERATION >> " + root.resolve("log"));
        hook("10-first", "echo first $BOXD_HOSTNAME >> " + root.resolve("log"));
        hook("30-fails", "exit 3");
        Files.writeString(root.resolve("etc/boxd/on-fork.d/40-not-executable"), "");
        try (TestingAgent agent = TestingAgent.startWithRoot(root);
                AgentConnection connection = agent.connect()) {
            RenewalReport report = connection.renew(
                    renewal(RenewalStep.HOSTNAME, RenewalStep.MACHINE_ID, RenewalStep.GENERATION, RenewalStep.HOOKS),
                    soon());
            assertThat(report.mandatoryFailures()).isEmpty();
            assertThat(report.steps())
                    .extracting(StepResult::name)
                    .containsExactly(
                            "hostname", "machine_id", "generation", "hook:10-first", "hook:20-second", "hook:30-fails");
            assertThat(report.steps().getLast().message()).isEqualTo("exit status 3");
            assertThat(Duration.between(report.machineClock(), Instant.now()).abs())
                    .isLessThan(Duration.ofSeconds(5));
        }
        assertThat(root.resolve("etc/hosts")).hasContent("127.0.0.1 localhost\n127.0.1.1\tnew-name\n");
        assertThat(root.resolve("etc/hostname")).hasContent("new-name\n");
        assertThat(root.resolve("etc/machine-id")).hasContent(MACHINE_ID + "\n");
        assertThat(dbus).hasContent(MACHINE_ID + "\n");
        assertThat(root.resolve("run/boxd/generation")).hasContent("7\n");
        assertThat(root.resolve("log")).hasContent("first new-name\nsecond 7\n");
    }

    @Test
    void endsAHookThatTakesTooLong() throws IOException {
        hook("slow", "sleep 1000");
        hook("zlast", "exit 0");
        try (TestingAgent agent = TestingAgent.startWithRoot(root);
                AgentConnection connection = agent.connect()) {
            RenewalReport report = connection.renew(renewal(RenewalStep.HOOKS), soon());
            assertThat(report.steps()).extracting(StepResult::succeeded).containsExactly(false, true);
            assertThat(report.steps().getFirst().message()).contains("did not end in time");
        }
    }

    @Test
    void leavesTheHostAlone() throws IOException {
        hook("never", "touch " + root.resolve("ran"));
        try (TestingAgent agent = TestingAgent.startWithRoot(root);
                AgentConnection connection = agent.connect()) {
            RenewalReport report = connection.renew(
                    renewal(RenewalStep.RNG, RenewalStep.CLOCK, RenewalStep.BOOT_ID, RenewalStep.HOOKS), soon());
            assertThat(report.mandatoryFailures())
                    .extracting(StepResult::name)
                    .containsExactly("rng", "clock", "boot_id");
            // With a mandatory step undone nothing of the image may run.
            assertThat(report.steps().getLast().name()).isEqualTo("hooks");
            assertThat(root.resolve("ran")).doesNotExist();
        }
        try (TestingAgent agent = TestingAgent.start();
                AgentConnection connection = agent.connect()) {
            RenewalReport report = connection.renew(renewal(RenewalStep.HOSTNAME, RenewalStep.GENERATION), soon());
            assertThat(report.mandatoryFailures()).hasSize(2);
        }
    }

    @Test
    void answersOthersWhileHooksRun() throws Exception {
        hook("waits", "sleep 1");
        try (TestingAgent agent = TestingAgent.startWithRoot(root);
                AgentConnection connection = agent.connect()) {
            Thread renewing = Thread.ofVirtual().start(() -> connection.renew(renewal(RenewalStep.HOOKS), soon()));
            assertThat(List.of(connection.ping(soon()), connection.ping(soon())))
                    .allSatisfy(time -> assertThat(time).isLessThan(Duration.ofMillis(900)));
            renewing.join();
        }
    }
}
