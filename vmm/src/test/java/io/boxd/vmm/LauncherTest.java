package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher runs as root: whatever lies where it makes its files, it follows and replaces nothing. */
@Tag("jail")
class LauncherTest {
    /** Everything the launcher makes in the folder of a cell, in the order it does. */
    private static final List<String> NAMES =
            List.of("log", "qmp.sock", "agent.sock", "console.sock", "incoming", "saved");

    private static final int UID = 1_999_999_999;
    private static final int FLIPS = TestHouse.LONG ? 10_000 : 200;
    private static final int LAUNCHES = TestHouse.LONG ? 400 : 25;

    /** What could lie at a name. */
    enum Plant {
        SYMLINK_TO_FILE,
        SYMLINK_TO_FOLDER,
        DANGLING_SYMLINK,
        HARDLINK,
        REGULAR_FILE,
        FOLDER,
        FIFO,
        SOCKET,
        DEVICE;

        void at(Path path, Outside outside) throws IOException {
            switch (this) {
                case SYMLINK_TO_FILE -> Files.createSymbolicLink(path, outside.flag());
                case SYMLINK_TO_FOLDER -> Files.createSymbolicLink(path, outside.folder());
                case DANGLING_SYMLINK ->
                    Files.createSymbolicLink(path, outside.folder().resolve("made-through-link"));
                case HARDLINK -> Files.createLink(path, outside.flag());
                case REGULAR_FILE -> Files.writeString(path, "planted");
                case FOLDER -> Files.createDirectory(path);
                case FIFO -> run("mkfifo", path.toString());
                case SOCKET ->
                    ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                            .bind(UnixDomainSocketAddress.of(path))
                            .close();
                case DEVICE -> run("mknod", path.toString(), "c", "1", "3");
            }
        }

        private static void run(String... command) {
            Command.of(command).check(Deadline.inSeconds(5));
        }
    }

    private Path home;
    private Outside outside;
    private CellFolder cell;

    @BeforeEach
    void prepare() throws IOException {
        home = Files.createTempDirectory("boxd-launcher-");
        outside = new Outside();
        cell = CellFolder.create(home.resolve("cell"), UID);
    }

    @AfterEach
    void takeAway() {
        outside.close();
        FileOwner.deleteTree(home);
    }

    /** As the engine calls it, but for a program that is not there: it gets far and starts nothing. */
    private Command.Result launch(Path folder, Path disks, Path bundle, Path memory) {
        List<String> command =
                new ArrayList<>(List.of(TestHouse.release("boxd-launcher").toString()));
        command.addAll(List.of("--folder", folder.toString(), "--uid", Integer.toString(UID)));
        command.addAll(List.of("--bundle", bundle.toString(), "--program", "/usr/bin/absent"));
        command.addAll(List.of("--disks", disks.toString(), "--memory", memory.toString()));
        command.addAll(List.of("--tap", "tap0", "--"));
        return Command.of(command).run(Deadline.inSeconds(20));
    }

    private Command.Result launch() {
        return launch(cell.path(), cell.disk(), bundle(), memory());
    }

    private static Path bundle() {
        return TestHouse.get().engine().host().bundle().root();
    }

    private static Path memory() {
        return TestHouse.get().tinyBase().memory();
    }

    private static void assertRefused(Command.Result result, String step) {
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output()).isEmpty();
        assertThat(result.errors().strip()).startsWith("error: " + step + ": ").doesNotContain("\n");
    }

    @Test
    void withoutAPlantItGetsAsFarAsTheProgram() throws IOException {
        Map<String, String> before = Outside.state(cell.path());
        assertRefused(launch(), "program");
        assertThat(Outside.state(cell.path()).keySet()).isEqualTo(before.keySet());
    }

    @ParameterizedTest
    @EnumSource(Plant.class)
    void whateverLiesAtANameIsRefusedAndLeftAlone(Plant plant) throws IOException {
        for (String name : NAMES) {
            CellFolder own = CellFolder.create(home.resolve(plant + "-" + name), UID);
            plant.at(own.path().resolve(name), outside);
            Map<String, String> before = outside.state();
            String planted = Outside.state(own.path()).get(name);
            assertRefused(launch(own.path(), own.disk(), bundle(), memory()), name);
            assertThat(outside.state()).as("%s at %s", plant, name).isEqualTo(before);
            assertThat(Outside.state(own.path()))
                    .as("%s at %s", plant, name)
                    .containsOnlyKeys("", "disk", name)
                    .containsEntry(name, planted);
            FileOwner.deleteTree(own.path());
        }
    }

    @ParameterizedTest
    @EnumSource(Plant.class)
    void aRefusedStartLeavesNothingOfTheCell(Plant plant) throws IOException {
        try (TestingCells cells = TestingCells.open()) {
            Map<String, String> before = outside.state();
            assertThatThrownBy(() -> cells.start(TestHouse.get().tinyBase(), (folder, plan) -> {
                        try {
                            plant.at(folder.path().resolve("saved"), outside);
                        } catch (IOException e) {
                            throw new IllegalStateException(e);
                        }
                        return plan;
                    }))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("error: saved: ");
            assertThat(cells.groups().names()).isEmpty();
            try (Stream<Path> left = Files.list(cells.config().cells())) {
                assertThat(left).isEmpty();
            }
            assertThat(outside.state().keySet()).isEqualTo(before.keySet());
            assertThat(Files.readString(outside.flag())).isEqualTo("untouched\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxrwx---", "rwx----w-", "rwxrwxrwx"})
    void foldersThatOthersMayWriteAreRefused(String permissions) throws IOException {
        Files.setPosixFilePermissions(cell.path(), PosixFilePermissions.fromString(permissions));
        assertRefused(launch(), "folder");
        Files.setPosixFilePermissions(cell.path(), PosixFilePermissions.fromString("rwx------"));
        Files.setPosixFilePermissions(cell.disk(), PosixFilePermissions.fromString(permissions));
        assertRefused(launch(), "disks");
        Path open = FileOwner.newFolder(home.resolve("open"), permissions);
        assertRefused(launch(cell.path(), home, open, memory()), "bundle");
        assertThat(Outside.state(cell.path())).containsOnlyKeys("", "disk");
    }

    @Test
    void foldersOfOthersAreRefused() throws IOException {
        FileOwner.give(cell.path(), UID, "rwx------");
        assertRefused(launch(), "folder");
        FileOwner.give(cell.path(), 0, "rwx------");
        FileOwner.give(cell.disk(), UID, "rwxr-xr-x");
        assertRefused(launch(), "disks");
        assertThat(Outside.state(cell.path())).containsOnlyKeys("", "disk");
    }

    @ParameterizedTest
    @CsvSource({"folder", "disks", "bundle", "memory"})
    void linksInPlaceOfWhatIsNamedAreRefused(String which) throws IOException {
        Path link = home.resolve("link");
        Path real = Map.of("folder", cell.path(), "disks", cell.disk(), "bundle", bundle(), "memory", memory())
                .get(which);
        Files.createSymbolicLink(link, java.util.Objects.requireNonNull(real));
        assertRefused(
                launch(
                        which.equals("folder") ? link : cell.path(),
                        which.equals("disks") ? link : cell.disk(),
                        which.equals("bundle") ? link : bundle(),
                        which.equals("memory") ? link : memory()),
                which);
        assertThat(Outside.state(cell.path())).containsOnlyKeys("", "disk");
    }

    @ParameterizedTest
    @EnumSource(names = {"FOLDER", "FIFO", "SOCKET", "DEVICE"})
    void memoryThatIsNoFileIsRefused(Plant plant) throws IOException {
        Path planted = home.resolve("memory");
        plant.at(planted, outside);
        assertRefused(launch(cell.path(), cell.disk(), bundle(), planted), "memory");
    }

    @Test
    void noFlipOfTheFolderLetsItWriteOutside() throws IOException {
        Map<String, String> before = outside.state();
        try (Flipper flipper = Flipper.start(cell.path(), outside.folder(), home)) {
            for (int i = 0; i < LAUNCHES || flipper.flips() < FLIPS; i++) {
                launch(cell.path(), home, bundle(), memory());
            }
        }
        assertThat(outside.state()).isEqualTo(before);
        assertThat(Outside.state(cell.path())).containsOnlyKeys("", "disk");
    }

    @Test
    void noFlipOfAnEntryLetsItWriteOutside() throws IOException {
        Map<String, String> before = outside.state();
        Path made = outside.folder().resolve("made-through-link");
        for (String name : NAMES) {
            Path workshop = FileOwner.newFolder(home.resolve("flip-" + name), "rwx------");
            try (Flipper flipper = Flipper.start(cell.path().resolve(name), made, workshop)) {
                for (int i = 0; i * NAMES.size() < LAUNCHES || flipper.flips() * NAMES.size() < FLIPS; i++) {
                    launch();
                }
            }
            Files.deleteIfExists(cell.path().resolve(name));
        }
        assertThat(outside.state()).isEqualTo(before);
    }

    /** The red control of the two above: somebody who trusts names is caught by the same flips. */
    @Test
    void whoTrustsNamesWritesOutside() {
        Deadline deadline = Deadline.inSeconds(20);
        Path made = outside.folder().resolve("log");
        try (Flipper flipper = Flipper.start(cell.path(), outside.folder(), home)) {
            assertThat(flipper).isNotNull();
            while (!Files.exists(made) && !deadline.passed()) {
                writeByName(cell.path().resolve("log"));
            }
        }
        assertThat(made).exists();
    }

    private static void writeByName(Path file) {
        try {
            Files.writeString(file, "written");
        } catch (IOException e) {
            // In the moment between two states there is no such folder.
            return;
        }
    }
}
