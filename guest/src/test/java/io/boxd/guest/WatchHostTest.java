package io.boxd.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes of files, as the real agent tells them. */
@Tag("host")
class WatchHostTest {
    private static final int CHANGES = Boolean.getBoolean("boxd.test.long") ? 1000 : 100;

    @TempDir
    private Path folder;

    private TestingAgent agent;
    private AgentConnection connection;

    @BeforeEach
    void connect() throws IOException {
        agent = TestingAgent.start();
        connection = agent.connect();
    }

    @AfterEach
    void close() throws IOException {
        connection.close();
        agent.close();
    }

    private static Deadline soon() {
        return Deadline.inSeconds(20);
    }

    private FileWatch watch(boolean recursive) {
        return connection.files("").watch(GuestPath.of(folder.toString()), recursive, soon());
    }

    private static void awaitChange(FileWatch watch, FileChange.Kind kind, String path) {
        Deadline deadline = soon();
        while (true) {
            Optional<FileChange> change = watch.next(deadline);
            assertThat(change).as(kind + " of " + path).isPresent();
            if (change.get().kind() == kind && change.get().path().equals(GuestBytes.of(path))) {
                return;
            }
        }
    }

    @Test
    void seesEveryChange() throws IOException {
        try (FileWatch watch = watch(false)) {
            for (int i = 0; i < CHANGES; i++) {
                Files.writeString(folder.resolve("f" + i), "x");
            }
            Set<String> written = new HashSet<>();
            Deadline deadline = soon();
            while (written.size() < CHANGES) {
                Optional<FileChange> change = watch.next(deadline);
                assertThat(change).as("change behind " + written.size()).isPresent();
                assertThat(change.get().kind()).isNotEqualTo(FileChange.Kind.OVERFLOW);
                if (change.get().kind() == FileChange.Kind.WRITTEN) {
                    written.add(change.get().path().toString());
                }
            }
            assertThat(watch.next(Deadline.inMillis(50))).isEmpty();
        }
    }

    @Test
    void tellsWhatHasHappened() throws IOException {
        Path file = Files.writeString(folder.resolve("a"), "x");
        try (FileWatch watch = watch(false)) {
            Files.writeString(file, "y");
            awaitChange(watch, FileChange.Kind.MODIFIED, "a");
            Files.move(file, folder.resolve("b"));
            awaitChange(watch, FileChange.Kind.MOVED_FROM, "a");
            awaitChange(watch, FileChange.Kind.MOVED_TO, "b");
            Files.delete(folder.resolve("b"));
            awaitChange(watch, FileChange.Kind.DELETED, "b");
        }
    }

    @Test
    void followsFoldersThatComeAndMove() throws IOException {
        Files.createDirectories(folder.resolve("one/two"));
        Path outside = Files.createDirectory(folder.resolveSibling(folder.getFileName() + "-outside"));
        try (FileWatch watch = watch(true)) {
            Files.writeString(folder.resolve("one/two/a"), "x");
            awaitChange(watch, FileChange.Kind.WRITTEN, "one/two/a");
            Files.createDirectories(folder.resolve("new/deep"));
            Files.writeString(folder.resolve("new/deep/b"), "x");
            awaitChange(watch, FileChange.Kind.CREATED, "new/deep/b");
            Files.move(folder.resolve("one"), folder.resolve("moved"));
            awaitChange(watch, FileChange.Kind.MOVED_TO, "moved");
            Files.writeString(folder.resolve("moved/two/c"), "x");
            awaitChange(watch, FileChange.Kind.WRITTEN, "moved/two/c");
            Files.move(folder.resolve("moved/two"), outside.resolve("two"));
            awaitChange(watch, FileChange.Kind.MOVED_FROM, "moved/two");
            Files.writeString(outside.resolve("two/unseen"), "x");
            Files.writeString(folder.resolve("last"), "x");
            Deadline deadline = soon();
            Optional<FileChange> change = watch.next(deadline);
            while (change.isPresent() && !change.get().path().toString().equals("last")) {
                assertThat(change.get().path().toString()).doesNotContain("unseen");
                change = watch.next(deadline);
            }
            assertThat(change).isPresent();
        } finally {
            Files.deleteIfExists(outside.resolve("two/unseen"));
            Files.deleteIfExists(outside.resolve("two/a"));
            Files.deleteIfExists(outside.resolve("two/c"));
            Files.deleteIfExists(outside.resolve("two"));
            Files.deleteIfExists(outside);
        }
    }

    @Test
    void tellsThatChangesWereLost() throws IOException {
        // Long names fill up sooner what is on the way; two files, because the kernel joins equal changes.
        try (OutputStream first = Files.newOutputStream(folder.resolve("1".repeat(255)));
                OutputStream second = Files.newOutputStream(folder.resolve("2".repeat(255)));
                FileWatch watch = watch(false)) {
            int writes = queueLimit();
            for (int i = 0; i < writes; i++) {
                first.write(i);
                second.write(i);
            }
            Deadline deadline = soon();
            Optional<FileChange> change = watch.next(deadline);
            while (change.isPresent() && change.get().kind() != FileChange.Kind.OVERFLOW) {
                change = watch.next(deadline);
            }
            assertThat(change).as("the notice of lost changes").isPresent();
        }
    }

    /** The kernel gives such numbers only to whoever reads them at once. */
    private static int queueLimit() throws IOException {
        try (InputStream limit = Files.newInputStream(Path.of("/proc/sys/fs/inotify/max_queued_events"))) {
            return Integer.parseInt(new String(limit.readNBytes(100), UTF_8).strip());
        }
    }

    @Test
    void endsWithWhatIsWatched() throws IOException {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        try (FileWatch watch = connection.files("").watch(GuestPath.of(inner.toString()), true, soon())) {
            Files.delete(inner);
            assertThat(watch.next(soon())).isEmpty();
        }
        assertThatThrownBy(() -> connection.files("").watch(GuestPath.of(inner.toString()), true, soon()))
                .hasMessageContaining("No such file");
    }
}
