package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.Execution;
import io.boxd.linux.SmallDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** An instance whose home is on a small disk of its own, which fills up. */
@Tag("machine")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FullDiskTest {
    private static final long DISK_BYTES = 700L << 20;
    private static final List<Long> LEFT_BYTES = TestHouse.LONG
            ? List.of(0L, 8L << 10, 64L << 10, 256L << 10, 1L << 20, 2L << 20, 4L << 20, 8L << 20, 16L << 20)
            : List.of(0L, 256L << 10, 2L << 20);

    /** A mebibyte each. */
    private static final String CHUNKS = "1 2 3 4 5 6 7 8";

    private final TestHouse house = TestHouse.get();
    private final SmallDisk disk;
    private final Path home;

    FullDiskTest() throws IOException {
        disk = new SmallDisk(DISK_BYTES);
        home = disk.path();
    }

    @AfterAll
    void unmount() {
        disk.close();
    }

    private Engine open(Safeguards safeguards) {
        return Engine.open(
                TestHouse.config(home, house.engine().config().cache(), TestHouse.release("boxd-launcher")),
                new TransientRecord(),
                Uplinks.none(),
                Accelerator.TCG,
                safeguards,
                Deadline.inSeconds(60));
    }

    private Machine start(Engine engine) {
        Base base = engine.base(house.tiny(), house.tinyBase().size(), line -> {}, Deadline.inSeconds(300));
        return engine.start(base, Identity.fresh("small", 1), Deadline.inSeconds(60));
    }

    @Test
    void aSnapshotThatWouldNotFitIsRefusedBeforehand() throws IOException {
        try (Engine engine = open(Safeguards.all());
                Machine machine = start(engine)) {
            Path filler = disk.fill(20L << 20);
            assertThatThrownBy(() -> engine.snapshot(machine, Deadline.inSeconds(60)))
                    .isInstanceOfSatisfying(BoxdException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
                        assertThat(e).hasMessageContaining("no room for a snapshot");
                        assertThat(e.hint()).isNotNull();
                    });
            assertThat(sh(machine, "echo on")).isEqualTo("on");
            Files.delete(filler);
            Snapshot snapshot = engine.snapshot(machine, Deadline.inSeconds(60)).snapshot();
            engine.forget(snapshot);
        }
    }

    @Test
    void wherePartsDoNotFitNothingIsLeftAndTheMachineGoesOn() throws IOException {
        Safeguards unwary = new Safeguards(Safeguards.all().renewalSteps(), true, false);
        try (Engine engine = open(unwary);
                Machine machine = start(engine)) {
            sh(machine, "echo first > /data/file; sync");
            for (long left : LEFT_BYTES) {
                Path filler = disk.fill(left);
                tryAll(engine, machine);
                Files.delete(filler);
                assertThat(machine.state()).isIn(Machine.State.RUNNING, Machine.State.STALLED);
                if (machine.state() == Machine.State.STALLED) {
                    machine.resume(Deadline.inSeconds(10));
                }
                assertThat(sh(machine, "cat /data/file")).isEqualTo("first");
                assertThat(engine.snapshots()).isEmpty();
                assertThat(home.resolve("snapshots")).isEmptyDirectory();
            }
            Snapshot snapshot = engine.snapshot(machine, Deadline.inSeconds(60)).snapshot();
            try (Machine copy = engine.start(snapshot, Identity.fresh("copy", 1), Deadline.inSeconds(60))) {
                assertThat(sh(copy, "cat /data/file")).isEqualTo("first");
            }
            engine.forget(snapshot);
        }
    }

    /** Each may fail, clearly; what succeeds is taken away again. */
    private static void tryAll(Engine engine, Machine machine) {
        try {
            engine.forget(engine.snapshot(machine, Deadline.inSeconds(60)).snapshot());
        } catch (BoxdException e) {
            assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        }
        try {
            engine.fork(machine, List.of(Identity.fresh("fork", 1)), Deadline.inSeconds(60))
                    .machines()
                    .forEach(Machine::close);
        } catch (BoxdException e) {
            assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        }
    }

    @Test
    void machinesThatFillTheDiskStallAndGoOnAfterwardsAndOthersDoNotNotice() throws Exception {
        try (Engine engine = open(Safeguards.all());
                Machine one = start(engine);
                Machine two = start(engine);
                Machine other = start(engine)) {
            // What it has written so far must not be what it waits to write then.
            sh(other, "sync");
            Path filler = disk.fill(6L << 20);
            try (Execution first = write(one);
                    Execution second = write(two)) {
                List<Machine> writers = List.of(one, two);
                TestHouse.await(
                        Duration.ofMinutes(2),
                        () -> writers.stream().allMatch(writer -> writer.state() == Machine.State.STALLED));
                assertThat(sh(other, "echo fine")).isEqualTo("fine");
                assertKeptInVain(engine, two);
                Files.delete(filler);
                for (Execution writing : List.of(first, second)) {
                    resumeUntilDone(writers, writing);
                }
            }
            for (Machine writer : List.of(one, two)) {
                // From its disk, not from what it remembers of it.
                assertThat(sh(writer, "echo 3 > /proc/sys/vm/drop_caches; sha256sum < /data/much"))
                        .isEqualTo(sh(writer, "for i in " + CHUNKS + "; do cat /tmp/chunk; done | sha256sum"));
            }
        }
    }

    private static Execution write(Machine machine) {
        return machine.agent()
                .start(
                        ExecRequest.argv(
                                "/bin/sh",
                                "-c",
                                "dd if=/dev/urandom of=/tmp/chunk bs=1M count=1 2>/dev/null; for i in " + CHUNKS
                                        + "; do cat /tmp/chunk; done > /data/much && sync && echo done"),
                        Deadline.inSeconds(300));
    }

    /** What cannot be kept for want of space leaves the machine waiting for it, as it was. */
    private static void assertKeptInVain(Engine engine, Machine stalled) {
        assertThatThrownBy(() -> engine.hibernate(stalled, Deadline.inSeconds(60)))
                .isInstanceOfSatisfying(
                        BoxdException.class,
                        e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED));
        TestHouse.await(Duration.ofMinutes(1), () -> stalled.state() == Machine.State.STALLED);
    }

    private static void resumeUntilDone(List<Machine> writers, Execution writing) throws Exception {
        TestHouse.await(Duration.ofMinutes(2), () -> {
            writers.stream()
                    .filter(writer -> writer.state() == Machine.State.STALLED)
                    .forEach(writer -> writer.resume(Deadline.inSeconds(10)));
            return writers.stream().allMatch(writer -> writer.state() == Machine.State.RUNNING);
        });
        assertThat(new String(writing.stdout().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("done\n");
    }
}
