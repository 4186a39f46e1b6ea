package io.boxd.guest.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

@Tag("unit")
class PartStoreTest {
    private final AtomicInteger builds = new AtomicInteger();

    @TempDir
    private Path cache;

    private PartStore store;

    @BeforeEach
    void open() throws IOException {
        store = new PartStore(cache);
    }

    @Test
    void aPartIsBuiltOnceSealedAndDescribed() throws IOException {
        PartStore.Part first = obtain("key");
        PartStore.Part second = obtain("key");

        assertThat(builds).hasValue(1);
        assertThat(second.folder()).isEqualTo(first.folder());
        assertThat(first.fact("what")).isEqualTo("a test");
        assertThat(first.hash("file")).hasSize(64);
        assertThat(Files.getPosixFilePermissions(first.file("file"))).hasSize(3);
        assertThat(obtain("other").folder()).isNotEqualTo(first.folder());
    }

    @Test
    void aFailedBuildLeavesNothing() throws IOException {
        assertThatThrownBy(() -> store.obtain(
                        "test",
                        "key",
                        (folder, _) -> {
                            Files.writeString(folder.resolve("file"), "half");
                            throw new IOException("no luck");
                        },
                        Deadline.inSeconds(10)))
                .hasMessage("no luck");
        assertThat(entries("parts")).isEmpty();
        assertThat(entries("building")).isEmpty();
        assertThat(obtain("key").file("file")).hasContent("whole");
    }

    @Test
    void whatAKilledBuildLeftIsRemovedByTheNextOne() throws IOException {
        Files.createDirectories(cache.resolve("building/test-key.1/tree"));
        Files.createDirectories(cache.resolve("building/test-older.2/tree"));
        obtain("key");
        assertThat(entries("building")).isEmpty();
    }

    @Test
    void whatALivingBuildIsMakingIsLeftAlone() throws IOException {
        Files.createDirectories(cache.resolve("building/test-slow.1"));
        try (var _ = BuildLock.acquire(cache.resolve("locks/test-slow"), Deadline.inSeconds(1))) {
            obtain("key");
        }
        assertThat(entries("building")).hasSize(1);
    }

    @Test
    void aShortenedFileIsNotMistakenForAGoodOne() throws IOException {
        Path file = obtain("key").file("file");
        Files.delete(file);
        Files.writeString(file, "who");
        assertThat(obtain("key").file("file")).hasContent("whole");
        assertThat(builds).hasValue(2);
    }

    @Test
    void manyAtOnceBuildOnce() throws Exception {
        List<Future<PartStore.Part>> all = new ArrayList<>();
        try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 8; i++) {
                all.add(pool.submit(() -> obtain("key")));
            }
        }
        for (Future<PartStore.Part> one : all) {
            assertThat(one.get().file("file")).hasContent("whole");
        }
        assertThat(builds).hasValue(1);
    }

    @Test
    void waitingForAnotherBuildEndsAtTheDeadline() throws IOException {
        try (var _ = BuildLock.acquire(cache.resolve("locks/test-key"), Deadline.inSeconds(1))) {
            assertThatThrownBy(() -> store.obtain("test", "key", this::build, Deadline.inMillis(50)))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("another build");
        }
    }

    private PartStore.Part obtain(String key) throws IOException {
        return store.obtain("test", key, this::build, Deadline.inSeconds(10));
    }

    private void build(Path folder, ObjectNode manifest) throws IOException {
        builds.incrementAndGet();
        manifest.put("what", "a test");
        Files.writeString(folder.resolve("file"), "whole");
    }

    private List<Path> entries(String folder) throws IOException {
        try (Stream<Path> found = Files.list(cache.resolve(folder))) {
            return found.toList();
        }
    }
}
