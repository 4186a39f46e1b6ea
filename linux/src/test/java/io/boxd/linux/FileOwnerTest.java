package io.boxd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Needs root: only root gives files away. */
@Tag("host")
class FileOwnerTest {
    private static final int UID = 1_800_000_003;

    @TempDir
    Path folder;

    @Test
    void givesAFileToAUserAndItsGroup() throws IOException {
        Path file = Files.writeString(folder.resolve("f"), "x");
        FileOwner.give(file, UID, "rw-r-----");
        assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(UID);
        assertThat(Files.getAttribute(file, "unix:gid")).isEqualTo(UID);
        assertThat(permissions(file)).isEqualTo("rw-r-----");
    }

    @Test
    void neverGivesAwayWhatALinkPointsTo() throws IOException {
        Path secret = Files.writeString(folder.resolve("secret"), "x");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), secret);
        assertThatThrownBy(() -> FileOwner.give(link, UID, "rwxrwxrwx"))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("is a link, where none may be");
        assertThat(Files.getAttribute(secret, "unix:uid")).isEqualTo(0);
        assertThat(permissions(secret)).isEqualTo("rw-------");
    }

    @Test
    void aMissingFileIsAnError() {
        assertThatThrownBy(() -> FileOwner.give(folder.resolve("none"), UID, "rw-------"))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("cannot give");
    }

    @Test
    void newFoldersAreClosedToOthers() {
        Path deep = FileOwner.folder(folder.resolve("a/b/c"));
        assertThat(permissions(deep)).isEqualTo("rwx------");
        assertThat(permissions(folder.resolve("a"))).isEqualTo("rwx------");
        assertThat(FileOwner.folder(deep)).isEqualTo(deep);
    }

    @Test
    void aNewFolderIsNew() {
        Path made = FileOwner.newFolder(folder.resolve("n"), "rwxr-x--x");
        assertThat(permissions(made)).isEqualTo("rwxr-x--x");
        assertThatThrownBy(() -> FileOwner.newFolder(made, "rwx------")).isInstanceOf(BoxdException.class);
    }

    @Test
    void deletesATreeAndStaysInIt() throws IOException {
        Path outside = Files.createDirectories(folder.resolve("outside/inner"));
        Files.writeString(outside.resolve("precious"), "x");
        Path tree = Files.createDirectories(folder.resolve("tree/deep/er"));
        Files.writeString(tree.resolve("file"), "x");
        Files.createSymbolicLink(tree.resolve("to-folder"), outside);
        Files.createSymbolicLink(tree.resolve("to-file"), outside.resolve("precious"));
        Files.createSymbolicLink(folder.resolve("tree/up"), Path.of("../outside"));
        Files.createSymbolicLink(folder.resolve("tree/broken"), Path.of("nowhere"));
        Files.createSymbolicLink(folder.resolve("tree/loop"), Path.of("."));
        FileOwner.deleteTree(folder.resolve("tree"));
        assertThat(folder.resolve("tree")).doesNotExist();
        assertThat(outside.resolve("precious")).hasContent("x");
    }

    @Test
    void deletesALinkAndNotItsTarget() throws IOException {
        Path outside = Files.createDirectory(folder.resolve("outside"));
        Files.writeString(outside.resolve("precious"), "x");
        Path link = Files.createSymbolicLink(folder.resolve("link"), outside);
        FileOwner.deleteTree(link);
        assertThat(Files.exists(link, LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(outside.resolve("precious")).hasContent("x");
    }

    @Test
    void deletesOneFileAndAcceptsNone() throws IOException {
        Path file = Files.writeString(folder.resolve("f"), "x");
        FileOwner.deleteTree(file);
        FileOwner.deleteTree(file);
        assertThat(file).doesNotExist();
    }

    /** What vanishes while we look is what we wanted; the rest must still go. */
    @Test
    void twoMayDeleteTheSameTree() throws Exception {
        for (int round = 0; round < 20; round++) {
            Path tree = folder.resolve("tree-" + round);
            for (int i = 0; i < 40; i++) {
                Path inner = Files.createDirectories(tree.resolve("a" + i + "/b"));
                Files.writeString(inner.resolve("f"), "x");
            }
            try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
                List<Future<?>> both = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    both.add(threads.submit(() -> FileOwner.deleteTree(tree)));
                }
                for (Future<?> one : both) {
                    one.get(10, TimeUnit.SECONDS);
                }
            }
            assertThat(tree).doesNotExist();
        }
    }

    private static String permissions(Path path) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
