package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.Execution;
import io.boxd.linux.Command;
import io.boxd.linux.FileOwner;
import io.boxd.linux.FreeSpace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An instance whose home is on a small disk of its own, which fills up. */
@Tag("machine")
class FullDiskTest {
    private static final long DISK_BYTES = 700L << 20;
    private static final List<Long> LEFT_BYTES = TestHouse.LONG
            ? List.of(0L, 8L << 10, 64L << 10, 256L << 10, 1L << 20, 2L << 20, 4L << 20, 8L << 20, 16L << 20)
            : List.of(0L, 256L << 10, 2L << 20);

    private final TestHouse house = TestHouse.get();
    private Path folder = Path.of("/");
    private Path home = Path.of("/");

    @BeforeEach
    void mount() throws IOException {
        folder = Files.createTempDirectory("boxd-test-");
        home = Files.createDirectory(folder.resolve("home"));
        Path image = folder.resolve("disk");
        try (FileChannel file = FileChannel.open(image, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1), DISK_BYTES - 1);
        }
        // Nothing reserved for root: full shall be full.
        Command.of("mke2fs", "-q", "-t", "ext4", "-m", "0", image.toString()).check(Deadline.inSeconds(60));
        Command.of("mount", "-o", "loop", image.toString(), home.toString()).check(Deadline.inSeconds(60));
    }

    @AfterEach
    void unmount() {
        Command.of("umount", home.toString()).check(Deadline.inSeconds(60));
        FileOwner.deleteTree(folder);
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

    private Path fill(long leave) throws IOException {
        Path filler = home.resolve("filler");
        try (FileChannel file = FileChannel.open(filler, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer chunk = ByteBuffer.allocate(1 << 20);
            long left = FreeSpace.of(home).bytes() - leave;
            while (left > 0) {
                chunk.clear().limit((int) Math.min(chunk.capacity(), left));
                try {
                    left -= file.write(chunk);
                } catch (IOException e) {
                    break;
                }
            }
        }
        return filler;
    }

    @Test
    void aSnapshotThatWouldNotFitIsRefusedBeforehand() throws IOException {
        try (Engine engine = open(Safeguards.all());
                Machine machine = start(engine)) {
            Path filler = fill(20L << 20);
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
                Path filler = fill(left);
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
            assertThat(e.code()).as(e.getMessage()).isIn(ErrorCode.RESOURCE_EXHAUSTED, ErrorCode.INTERNAL);
        }
    }

    @Test
    void aMachineThatFillsTheDiskStallsAndGoesOnAfterwardsAndOthersDoNotNotice() throws Exception {
        try (Engine engine = open(Safeguards.all());
                Machine writer = start(engine);
                Machine other = start(engine)) {
            // What it has written so far must not be what it waits to write then.
            sh(other, "sync");
            Path filler = fill(6L << 20);
            try (Execution writing = writer.agent()
                    .start(
                            ExecRequest.argv(
                                    "/bin/sh",
                                    "-c",
                                    "dd if=/dev/urandom of=/data/much bs=1M count=20 && sync && echo done"),
                            Deadline.inSeconds(300))) {
                TestHouse.await(Duration.ofMinutes(2), () -> writer.state() == Machine.State.STALLED);
                assertThat(sh(other, "echo fine")).isEqualTo("fine");
                Files.delete(filler);
                TestHouse.await(Duration.ofMinutes(2), () -> {
                    if (writer.state() == Machine.State.STALLED) {
                        writer.resume(Deadline.inSeconds(10));
                    }
                    return writer.state() == Machine.State.RUNNING;
                });
                assertThat(new String(writing.stdout().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
                        .isEqualTo("done\n");
            }
            assertThat(sh(writer, "wc -c < /data/much")).isEqualTo(Integer.toString(20 << 20));
        }
    }
}
