package io.boxd.vmm;

import static io.boxd.vmm.SnapshotTest.awaitCountBeyond;
import static io.boxd.vmm.SnapshotTest.count;
import static io.boxd.vmm.SnapshotTest.startCounter;
import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.linux.HostProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** A second engine in the home of a first one, which has let go of its machines. */
@Tag("machine")
class AdoptionTest {
    private static final Deadline NEVER = Deadline.inSeconds(3600);

    private final TestHouse house = TestHouse.get();
    private final TransientRecord record = new TransientRecord();
    private EngineConfig config = TestHouse.config(Path.of("/"), Path.of("/"), Path.of("/"));

    @BeforeEach
    void home() throws IOException {
        Path home = Files.createTempDirectory("boxd-test-");
        config = TestHouse.config(home, house.engine().config().cache(), TestHouse.release("boxd-launcher"));
    }

    @AfterEach
    void remove() {
        try (Engine engine = open()) {
            engine.found().machines().forEach(Machine::close);
            engine.found().remains().forEach(engine::discard);
            engine.snapshots().forEach(engine::forget);
        }
        TestHouse.deleteHome(config.home());
    }

    private Engine open() {
        return Engine.open(config, record, Accelerator.TCG, Deadline.inSeconds(60));
    }

    private Base base(Engine engine) {
        return engine.base(
                house.tiny(),
                new MachineSize(1, 256 * MachineSize.MIB, 256 * MachineSize.MIB),
                line -> {},
                Deadline.inSeconds(300));
    }

    @Test
    void runningAndStandingMachinesGoOnUnderANewEngine() {
        long counted;
        int pid;
        try (Engine first = open()) {
            Machine running = first.start(base(first), Identity.fresh("running", 1), Deadline.inSeconds(60));
            Machine standing = first.start(base(first), Identity.fresh("standing", 1), Deadline.inSeconds(60));
            startCounter(running);
            sh(running, "echo kept > /data/file; sync");
            Machine child = first.fork(running, List.of(Identity.fresh("child", 2)), Deadline.inSeconds(60))
                    .machines()
                    .getFirst();
            sh(running, "echo later > /data/later; sync");
            sh(standing, "echo quiet > /tmp/quiet");
            standing.pause(Deadline.inSeconds(10));
            counted = count(running);
            pid = running.pid();
            List.of(running, standing, child).forEach(Machine::detach);
        }
        try (Engine second = open()) {
            List<Machine> found = second.found().machines().stream()
                    .sorted(Comparator.comparing(machine -> machine.identity().hostname()))
                    .toList();
            assertThat(second.found().remains()).isEmpty();
            assertThat(found)
                    .extracting(machine -> machine.identity().hostname())
                    .containsExactly("child", "running", "standing");
            Machine running = found.get(1);
            assertThat(running.pid()).isEqualTo(pid);
            assertThat(running.state()).isEqualTo(Machine.State.RUNNING);
            awaitCountBeyond(running, counted);
            assertThat(sh(running, "cat /data/file /data/later")).isEqualTo("kept\nlater");
            Machine standing = found.get(2);
            assertThat(standing.state()).isEqualTo(Machine.State.STANDBY);
            standing.resume(Deadline.inSeconds(10));
            assertThat(sh(standing, "cat /tmp/quiet")).isEqualTo("quiet");
            // All that a machine can do, an adopted one can.
            try (Machine fork = second.fork(running, List.of(Identity.fresh("fork", 2)), Deadline.inSeconds(60))
                    .machines()
                    .getFirst()) {
                assertThat(sh(fork, "cat /data/later")).isEqualTo("later");
            }
            Snapshot snapshot =
                    second.hibernate(running, Deadline.inSeconds(60)).snapshot();
            try (Machine woken = second.start(snapshot, snapshot.identity().next(), Deadline.inSeconds(60))) {
                awaitCountBeyond(woken, counted);
            }
            found.forEach(Machine::close);
        }
    }

    @Test
    void aMachineThatWasOnlyBeingCopiedGoesOn() {
        try (Engine first = open()) {
            Machine machine = first.start(base(first), Identity.fresh("copied", 1), Deadline.inSeconds(60));
            machine.disk().prepareFreeze(NEVER);
            machine.cell().qmp().execute("stop", NEVER);
            machine.disk().freeze(NEVER);
            machine.detach();
        }
        try (Engine second = open()) {
            Machine machine = second.found().machines().getFirst();
            assertThat(machine.state()).isEqualTo(Machine.State.RUNNING);
            assertThat(sh(machine, "echo on")).isEqualTo("on");
            machine.close();
        }
    }

    @Test
    void aFlatteningThatTheOldServerBeganDoesNotKeepTheNewOneFromCopying() {
        try (Engine first = open()) {
            Machine machine = first.start(base(first), Identity.fresh("deep", 1), Deadline.inSeconds(60));
            sh(machine, "dd if=/dev/urandom of=/data/much bs=1M count=4; sync");
            first.fork(machine, List.of(Identity.fresh("other", 2)), Deadline.inSeconds(60))
                    .machines()
                    .forEach(Machine::close);
            ObjectNode slowly = Json.object();
            slowly.put("job-id", "flatten-slowly");
            slowly.put("device", machine.disk().top().nodeName());
            slowly.put("base-node", machine.base().layers().getLast().nodeName());
            slowly.put("speed", 1 << 14);
            machine.cell().qmp().execute("block-stream", slowly, NEVER);
            assertThat(machine.cell().qmp().execute("query-block-jobs", NEVER)).isNotEmpty();
            machine.detach();
        }
        try (Engine second = open()) {
            Machine machine = second.found().machines().getFirst();
            String sum = sh(machine, "sha256sum < /data/much; echo more > /data/more; sync");
            second.fork(machine, List.of(Identity.fresh("fork", 2)), Deadline.inSeconds(60))
                    .machines()
                    .forEach(fork -> {
                        assertThat(sh(
                                        fork,
                                        "echo 3 > /proc/sys/vm/drop_caches; sha256sum < /data/much; cat /data/more"))
                                .isEqualTo(sum + "\nmore");
                        fork.close();
                    });
            machine.close();
        }
    }

    @Test
    void whatEndedMeanwhileBootsFromItsDisk() {
        Identity identity = Identity.fresh("ended", 1);
        try (Engine first = open()) {
            Machine machine = first.start(base(first), identity, Deadline.inSeconds(60));
            sh(machine, "echo one > /data/one; sync");
            first.fork(machine, List.of(Identity.fresh("other", 2)), Deadline.inSeconds(60))
                    .machines()
                    .forEach(Machine::close);
            sh(machine, "echo two > /data/two; sync");
            HostProcess process = machine.cell().process();
            machine.detach();
            process.kill();
            assertThat(process.awaitEnd(Deadline.inSeconds(10))).isTrue();
        }
        try (Engine second = open()) {
            assertThat(second.found().machines()).isEmpty();
            Remains remains = second.found().remains().getFirst();
            assertThat(remains.identity()).isEqualTo(identity);
            assertThat(remains.why()).contains("process");
            try (Machine again = second.reboot(remains, identity.next(), Deadline.inSeconds(60))) {
                assertThat(sh(again, "cat /data/one /data/two")).isEqualTo("one\ntwo");
            }
        }
    }

    @Test
    void snapshotsAreFoundAgainAndWhatIsNobodysIsSwept() throws IOException {
        Snapshot snapshot;
        try (Engine first = open()) {
            Machine machine = first.start(base(first), Identity.fresh("kept", 1), Deadline.inSeconds(60));
            sh(machine, "echo kept > /data/file; sync");
            snapshot = first.hibernate(machine, Deadline.inSeconds(60)).snapshot();
        }
        Path home = config.home();
        Files.createDirectory(home.resolve("snapshots/unfinished-x"));
        Files.createDirectory(home.resolve("snapshots/0123456789abcdef"));
        Files.writeString(home.resolve("layers/0123456789abcdef.qcow2"), "");
        Files.createDirectory(home.resolve("bases/unfinished-x"));
        Files.createDirectory(home.resolve("cells/0123456789abcdef"));
        try (Engine second = open()) {
            assertThat(home.resolve("snapshots")).isDirectoryNotContaining(path -> !path.endsWith(snapshot.id()));
            assertThat(home.resolve("layers/0123456789abcdef.qcow2")).doesNotExist();
            assertThat(home.resolve("bases/unfinished-x")).doesNotExist();
            assertThat(home.resolve("cells")).isEmptyDirectory();
            assertThat(second.snapshots()).containsExactly(snapshot);
            try (Machine woken = second.start(snapshot, snapshot.identity().next(), Deadline.inSeconds(60))) {
                assertThat(sh(woken, "cat /data/file")).isEqualTo("kept");
            }
        }
    }

    @Test
    void aMachineWakesWithTheQemuThatSavedItWhateverTheHostHasNow() throws IOException {
        Snapshot snapshot;
        String saved;
        try (Engine first = open()) {
            saved = first.host().bundle().key();
            Machine machine = first.start(base(first), Identity.fresh("old", 1), Deadline.inSeconds(60));
            sh(machine, "echo old > /tmp/file");
            snapshot = first.hibernate(machine, Deadline.inSeconds(60)).snapshot();
        }
        // Another build of what the bundle is made of, as a package upgrade would bring.
        Path preload = config.home().resolve("newer.so");
        Files.copy(config.preload(), preload);
        Files.write(preload, new byte[] {0}, StandardOpenOption.APPEND);
        EngineConfig before = config;
        config = new EngineConfig(before.home(), before.cache(), before.registry(), before.launcher(), preload);
        try (Engine second = open()) {
            String present = second.host().bundle().key();
            assertThat(present).isNotEqualTo(saved);
            try (Machine fresh = second.start(base(second), Identity.fresh("new", 1), Deadline.inSeconds(60));
                    Machine woken = second.start(snapshot, snapshot.identity().next(), Deadline.inSeconds(60))) {
                assertThat(fresh.base().bundle().key()).isEqualTo(present);
                assertThat(woken.base().bundle().key()).isEqualTo(saved);
                assertThat(mountedBundle(woken)).contains(saved).doesNotContain(present);
                assertThat(sh(woken, "cat /tmp/file")).isEqualTo("old");
            }
            second.forget(snapshot);
        }
        // With nobody left that needs it, the next start of the server lets it go.
        try (Engine third = open()) {
            assertThat(third.found().machines()).isEmpty();
            assertThat(config.home().resolve("qemu").resolve(saved)).doesNotExist();
        }
    }

    private static String mountedBundle(Machine machine) throws IOException {
        return Files.readString(Path.of("/proc/" + machine.pid() + "/mountinfo"));
    }

    @Test
    void afterAHostStartEverythingIsReadInFullBeforeItIsUsed() throws IOException {
        Snapshot snapshot;
        try (Engine first = open()) {
            Machine machine = first.start(base(first), Identity.fresh("kept", 1), Deadline.inSeconds(60));
            sh(machine, "echo kept > /tmp/file");
            snapshot = first.hibernate(machine, Deadline.inSeconds(60)).snapshot();
        }
        Path memory = config.home().resolve("snapshots").resolve(snapshot.id()).resolve("memory");
        byte[] good = Files.readAllBytes(memory);
        byte[] bad = good.clone();
        bad[bad.length - 100] ^= 1;
        var modified = Files.getLastModifiedTime(memory);
        // A disk that has gone bad changes no times.
        Files.write(memory, bad);
        Files.setLastModifiedTime(memory, modified);
        Files.delete(config.home().resolve("checked"));
        try (Engine second = open()) {
            assertThatThrownBy(() -> second.start(snapshot, snapshot.identity().next(), Deadline.inSeconds(60)))
                    .hasMessageContaining("memory is damaged");
        }
        Files.write(memory, good);
        try (Engine third = open();
                Machine woken = third.start(snapshot, snapshot.identity().next(), Deadline.inSeconds(60))) {
            assertThat(sh(woken, "cat /tmp/file")).isEqualTo("kept");
        }
    }
}
