package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.FileOwner;
import io.boxd.linux.SmallDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** An instance whose home has space enough and takes no more files. */
@Tag("machine")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FullInodesTest {
    private static final long DISK_BYTES = 700L << 20;
    private static final int INODES = 1024;

    /** More than the files that a fork makes, which makes most. */
    private static final int ENOUGH = 16;

    private final TestHouse house = TestHouse.get();
    private final SmallDisk disk;
    private final Path home;

    FullInodesTest() throws IOException {
        disk = new SmallDisk(DISK_BYTES, INODES);
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
    void aSnapshotIsRefusedBeforehandAndTheReasonNamesInodes() throws IOException {
        try (Engine engine = open(Safeguards.all());
                Machine machine = start(engine)) {
            Path fillers = disk.fillInodes(100);
            try {
                assertThatThrownBy(() -> engine.snapshot(machine, Deadline.inSeconds(60)))
                        .isInstanceOfSatisfying(BoxdException.class, e -> {
                            assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
                            assertThat(e).hasMessageContaining("inodes left");
                            assertThat(e.hint()).isNotNull();
                        });
                assertThat(sh(machine, "echo on")).isEqualTo("on");
            } finally {
                FileOwner.deleteTree(fillers);
            }
            engine.forget(engine.snapshot(machine, Deadline.inSeconds(60)).snapshot());
        }
    }

    @Test
    void whereverFilesRunOutNothingIsLeftAndTheMachineGoesOn() throws IOException {
        Safeguards unwary = new Safeguards(Safeguards.all().renewalSteps(), true, false);
        try (Engine engine = open(unwary);
                Machine machine = start(engine)) {
            sh(machine, "echo first > /data/file; sync");
            for (int left = 0; left <= ENOUGH; left++) {
                Path fillers = disk.fillInodes(left);
                try {
                    // Something new on its disk: a copy needs another layer then.
                    sh(machine, "echo " + left + " > /data/left; sync");
                    boolean kept = succeeds(() -> engine.forget(
                            engine.snapshot(machine, Deadline.inSeconds(60)).snapshot()));
                    boolean forked = succeeds(
                            () -> engine.fork(machine, List.of(Identity.fresh("fork", 1)), Deadline.inSeconds(60))
                                    .machines()
                                    .forEach(Machine::close));
                    assertThat(List.of(kept, forked))
                            .as("with " + left + " inodes")
                            .isSubsetOf(
                                    left == 0 ? List.of(false) : left == ENOUGH ? List.of(true) : List.of(true, false));
                    assertNothingIsLeft(engine, machine);
                    assertThat(machine.state()).isEqualTo(Machine.State.RUNNING);
                    assertThat(sh(machine, "cat /data/file /data/left")).isEqualTo("first\n" + left);
                } finally {
                    FileOwner.deleteTree(fillers);
                }
            }
        }
    }

    /** Whether it could be done; the only reason why not is that the disk is full. */
    private static boolean succeeds(Runnable attempt) {
        try {
            attempt.run();
            return true;
        } catch (BoxdException e) {
            assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
            assertThat(e.hint()).isNotNull();
            return false;
        }
    }

    private void assertNothingIsLeft(Engine engine, Machine machine) {
        assertThat(engine.snapshots()).isEmpty();
        assertThat(home.resolve("snapshots")).isEmptyDirectory();
        assertThat(names("cells")).containsExactly(machine.id());
        assertThat(names("bases")).noneMatch(name -> name.startsWith("unfinished"));
        assertThat(names(".")).noneMatch(name -> name.endsWith(".next"));
    }

    private List<String> names(String folder) {
        return List.of(Objects.requireNonNull(home.resolve(folder).toFile().list()));
    }
}
