package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A QEMU that somebody has meddled with, or that the disk has damaged, is never started. */
@Tag("machine")
class DamagedBundleTest {
    /** What every QEMU says about a command that it does not know, and what a changed one says. */
    private static final String WORDS = "has not been found";

    private static final String OTHER_WORDS = "has been forgotten";

    private final TestHouse house = TestHouse.get();
    private EngineConfig config = TestHouse.config(Path.of("/"), Path.of("/"), Path.of("/"));

    @BeforeEach
    void home() throws IOException {
        Path home = Files.createTempDirectory("boxd-test-");
        config = TestHouse.config(home, house.engine().config().cache(), TestHouse.release("boxd-launcher"));
    }

    @AfterEach
    void remove() {
        TestHouse.deleteHome(config.home());
    }

    private Engine open(Safeguards safeguards) {
        return Engine.open(
                config, new TransientRecord(), Uplinks.none(), Accelerator.TCG, safeguards, Deadline.inSeconds(60));
    }

    private Base base(Engine engine) {
        return engine.base(house.tiny(), house.tinyBase().size(), line -> {}, Deadline.inSeconds(300));
    }

    /** What may go wrong with one file of a bundle; files are replaced, since the cache has the same ones. */
    private enum Damage {
        FLIPPED_BIT,
        TRUNCATED,
        MISSING;

        void doTo(Path file) throws IOException {
            byte[] content = Files.readAllBytes(file);
            switch (this) {
                case FLIPPED_BIT -> content[content.length / 2] ^= 1;
                case TRUNCATED -> content = Arrays.copyOf(content, content.length - 1);
                case MISSING -> {
                    Files.delete(file);
                    return;
                }
            }
            exchange(file, content);
        }
    }

    private static void exchange(Path file, byte[] content) throws IOException {
        Path other = file.resolveSibling("other");
        Files.write(other, content);
        Files.setPosixFilePermissions(other, Files.getPosixFilePermissions(file));
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void programModuleLibraryAndFirmwareMustBeWhatTheyWere() throws IOException {
        try (Engine engine = open(Safeguards.all())) {
            Base base = base(engine);
            Path root = engine.host().bundle().root();
            for (Path file : onesOfAKind(root)) {
                for (Damage damage : Damage.values()) {
                    Path good = config.home().resolve("good");
                    Files.copy(file, good, StandardCopyOption.COPY_ATTRIBUTES);
                    damage.doTo(file);
                    assertRefused(engine, base, root.relativize(file).toString());
                    Files.move(good, file, StandardCopyOption.REPLACE_EXISTING);
                }
            }
            assertRuns(engine, base);
        }
    }

    /** The program, a module if this QEMU has any, a library, firmware, and what is loaded before all others. */
    private static List<Path> onesOfAKind(Path root) throws IOException {
        try (Stream<Path> tree = Files.walk(root)) {
            List<Path> files = tree.filter(Files::isRegularFile).toList();
            List<Path> kinds = Stream.of("qemu-system-x86_64", "accel-tcg", "libc.so", "bios-microvm.bin", "preload")
                    .flatMap(kind -> files.stream()
                            .filter(file -> file.getFileName().toString().contains(kind))
                            .limit(1))
                    .toList();
            assertThat(kinds).hasSizeGreaterThanOrEqualTo(3);
            return kinds;
        }
    }

    @Test
    void aProgramThatSomebodyMadeReadableIsNotReadableWhenItStarts() throws IOException {
        try (Engine engine = open(Safeguards.all())) {
            Base base = base(engine);
            Path program = engine.host().bundle().program();
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
            assertRuns(engine, base);
            assertThat(Files.getPosixFilePermissions(program)).isEqualTo(QemuBundle.PROGRAM_MODE);
        }
    }

    @Test
    void aFileTooManyIsRefused() throws IOException {
        try (Engine engine = open(Safeguards.all())) {
            Base base = base(engine);
            Path stranger = engine.host().bundle().root().resolve("etc/ld.so.cache");
            Files.createDirectories(stranger.getParent());
            Files.writeString(stranger, "");
            assertRefused(engine, base, "etc/ld.so.cache does not belong to it");
            Files.delete(stranger);
            Files.createSymbolicLink(stranger, Path.of("/etc/ld.so.cache"));
            assertRefused(engine, base, "etc/ld.so.cache does not belong to it");
            Files.delete(stranger);
            assertRuns(engine, base);
        }
    }

    @Test
    void aListThatFitsTheDamageIsAnotherBundles() throws IOException {
        Path contents;
        try (Engine engine = open(Safeguards.all())) {
            assertThat(base(engine).bundle()).isEqualTo(engine.host().bundle());
            QemuBundle bundle = engine.host().bundle();
            contents = bundle.contents();
            Path program = bundle.root().resolve(QemuBundle.PROGRAM.substring(1));
            Part before = Part.of(program);
            Damage.FLIPPED_BIT.doTo(program);
            String forged = Files.readString(contents)
                    .replace(before.sha256(), Part.of(program).sha256());
            exchange(contents, forged.getBytes(StandardCharsets.UTF_8));
        }
        try (Engine engine = open(Safeguards.all())) {
            assertRefused(engine, base(engine), "the list of its files is damaged");
            Files.delete(contents);
            assertRefused(engine, base(engine), "the list of its files is missing");
        }
    }

    @Test
    void afterAHostStartEveryFileIsReadBeforeItIsUsed() throws IOException {
        Path library;
        try (Engine engine = open(Safeguards.all())) {
            assertRuns(engine, base(engine));
            library = onesOfAKind(engine.host().bundle().root()).get(1);
        }
        var modified = Files.getLastModifiedTime(library);
        exchange(library, Files.readAllBytes(library));
        Files.setLastModifiedTime(library, modified);
        try (Engine engine = open(Safeguards.all())) {
            assertRuns(engine, base(engine));
        }
        // A disk that has gone bad changes neither inode nor times.
        byte[] bad = Files.readAllBytes(library);
        bad[bad.length / 2] ^= 1;
        Files.write(library, bad);
        Files.setLastModifiedTime(library, modified);
        Files.delete(config.checked());
        try (Engine engine = open(Safeguards.all())) {
            assertRefused(engine, base(engine), "is damaged: its content has changed");
        }
    }

    @Test
    void whatIsDamagedInTheCacheIsCopiedAgain() throws IOException {
        EngineConfig before = config;
        Path cache = before.home().resolve("cache");
        QemuBundles first = new QemuBundles(cache, before.home().resolve("first"), before.preload());
        QemuBundle bundle = first.ofHost(Deadline.inSeconds(60));
        Path shared = QemuBundle.in(cache, bundle.key(), bundle.major(), bundle.minor())
                .root()
                .resolve(QemuBundle.PROGRAM.substring(1));
        Damage.FLIPPED_BIT.doTo(shared);
        QemuBundle second = new QemuBundles(cache, before.home().resolve("second"), before.preload())
                .ofHost(Deadline.inSeconds(60));
        assertThat(second.key()).isEqualTo(bundle.key());
        assertThat(second.root().resolve(QemuBundle.PROGRAM.substring(1)))
                .hasSameBinaryContentAs(Path.of(QemuBundle.PROGRAM));
    }

    @Test
    void redControlWithoutTheChecksTheExchangedProgramRuns() throws IOException {
        Safeguards careless = new Safeguards(Safeguards.all().renewalSteps(), false, true);
        try (Engine engine = open(careless)) {
            Base base = base(engine);
            Path program = engine.host().bundle().root().resolve(QemuBundle.PROGRAM.substring(1));
            String text = Files.readString(program, StandardCharsets.ISO_8859_1);
            assertThat(text).contains(WORDS);
            exchange(program, text.replace(WORDS, OTHER_WORDS).getBytes(StandardCharsets.ISO_8859_1));
            try (Machine machine = engine.start(base, Identity.fresh("victim", 1), Deadline.inSeconds(60))) {
                assertThatThrownBy(() -> machine.cell().qmp().execute("nothing", Deadline.inSeconds(10)))
                        .hasMessageContaining(OTHER_WORDS);
            }
        }
    }

    private void assertRefused(Engine engine, Base base, String reason) {
        assertThatThrownBy(() -> engine.start(base, Identity.fresh("victim", 1), Deadline.inSeconds(60)))
                .isInstanceOfSatisfying(BoxdException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.WRONG_STATE);
                    assertThat(e).hasMessageContaining("cannot be used").hasMessageContaining(reason);
                    assertThat(e.hint()).isNotNull();
                });
        assertThat(config.cells()).isEmptyDirectory();
    }

    private static void assertRuns(Engine engine, Base base) {
        try (Machine machine = engine.start(base, Identity.fresh("whole", 1), Deadline.inSeconds(60))) {
            assertThat(sh(machine, "echo on")).isEqualTo("on");
        }
    }
}
