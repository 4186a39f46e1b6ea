package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.boxd.common.Deadline;
import io.boxd.guest.image.Image;
import io.boxd.guest.image.ImageRecipe;
import io.boxd.guest.image.ImageStore;
import io.boxd.linux.FileOwner;
import io.boxd.linux.HostProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The probe on this very host, whatever it has: the answer must be true, in time, and leave nothing. */
@Tag("machine")
class AcceleratorProbeTest {
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Path IMAGES = Path.of(System.getProperty("boxd.image.cache", "/var/cache/boxd"));

    private Path home = Path.of("");
    private EngineConfig config = TestHouse.config(home, home, home);

    /** A cache of its own, so that the answer is found out here and leaves no trace for others. */
    @BeforeEach
    void makeHome() throws IOException {
        home = Files.createTempDirectory("boxd-probe-");
        config = TestHouse.config(home, home.resolve("cache"), TestHouse.release("boxd-launcher"));
    }

    @AfterEach
    void deleteHome() {
        FileOwner.deleteTree(home);
    }

    @Test
    void answersInTimeAndFromMemoryTheSecondTime() throws IOException {
        ProbeResult first = probe(LONGEST);
        assertThat(first.reason()).isNotBlank();
        assertThat(first.remembered()).isFalse();
        assertNothingIsLeft();

        ProbeResult second = probe(Duration.ofSeconds(10));
        assertThat(second.accelerator()).isEqualTo(first.accelerator());
        assertThat(second.reason()).isEqualTo(first.reason());
        assertThat(second.remembered()).isEqualTo(Files.exists(Path.of("/dev/kvm")));

        // The answer must be good for what it is asked for.
        try (Engine engine = Engine.open(config, new TransientRecord(), first.accelerator(), Deadline.inSeconds(60));
                Machine machine = boot(engine)) {
            assertThat(TestHouse.sh(machine, "echo $((40 + 2))")).isEqualTo("42");
        }
    }

    @Test
    void doesNotBelieveWhatWorkedOnAnotherHost() throws IOException {
        assumeThat(Path.of("/dev/kvm")).exists();
        HostKey now = HostFacts.key(new QemuBundles(config.bundles(), config.ownBundles(), config.preload())
                .ofHost(Deadline.inSeconds(60)));
        AcceleratorMemory memory = new AcceleratorMemory(config.cache());
        HostKey other = new HostKey(now.kernel(), "model name : other", now.bundle(), now.boot());
        memory.remember(other, new ProbeResult(Accelerator.KVM, "it worked elsewhere", false));

        // Long enough to be asked; that it answers rightly is another test's.
        ProbeResult result = Engine.chooseAccelerator(config, tiny(), Deadline.inSeconds(3));
        assertThat(result.remembered()).isFalse();
        assertThat(result.reason()).isNotEqualTo("it worked elsewhere");
        assertThat(memory.recall(now)).isPresent();
        assertThat(memory.recall(other)).isEmpty();
        assertNothingIsLeft();
    }

    /** What a probe does first, for the case that the one before was killed together with its server. */
    @Test
    void openingEndsWhateverRunsUnrecordedInAHome() throws IOException {
        HostProcess left;
        try (Engine engine = Engine.open(config, new TransientRecord(), Accelerator.TCG, Deadline.inSeconds(60))) {
            Machine machine = boot(engine);
            left = machine.cell().process();
            machine.detach();
        }
        assertThat(left.alive()).isTrue();
        try (Engine engine = Engine.open(config, new TransientRecord(), Accelerator.TCG, Deadline.inSeconds(60))) {
            assertThat(engine.found().machines()).isEmpty();
            assertThat(left.alive()).isFalse();
            assertThat(config.cells()).isEmptyDirectory();
        }
    }

    private ProbeResult probe(Duration allowed) {
        long start = System.nanoTime();
        ProbeResult result = Engine.chooseAccelerator(config, tiny(), Deadline.in(allowed));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(allowed);
        return result;
    }

    private static Machine boot(Engine engine) {
        MachineSize size = new MachineSize(1, 256 * MachineSize.MIB, 256 * MachineSize.MIB);
        return engine.boot(tiny(), size, Identity.fresh("probed", 1), Deadline.inSeconds(60));
    }

    private static Image tiny() {
        return new ImageStore(IMAGES)
                .obtain(ImageRecipe.tiny(), TestHouse.release("boxd-agent"), line -> {}, Deadline.inSeconds(900));
    }

    private void assertNothingIsLeft() throws IOException {
        Path probeHome = config.forProbe().home();
        assertThat(probeHome).doesNotExist();
        String group = "boxd-" + Engine.instanceId(probeHome);
        for (String controller : List.of("", "memory", "cpu", "pids")) {
            assertThat(Path.of("/sys/fs/cgroup", controller, group)).doesNotExist();
        }
        try (Stream<ProcessHandle> processes = ProcessHandle.allProcesses()) {
            assertThat(processes.map(p -> p.info().commandLine().orElse("")).filter(c -> c.contains(home.toString())))
                    .isEmpty();
        }
    }
}
