package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class UidBlockTest {
    private static final int BLOCK = 4096;

    @TempDir
    Path folder;

    @Test
    void twoHomesNeverShareAnId() {
        Set<Integer> ids = new HashSet<>();
        try (UidBlock one = take("one");
                UidBlock two = take("two");
                UidBlock three = take("three")) {
            for (int i = 0; i < BLOCK; i++) {
                assertThat(ids.add(one.acquire()) && ids.add(two.acquire()) && ids.add(three.acquire()))
                        .isTrue();
            }
        }
        assertThat(ids).allMatch(uid -> uid >= 1_800_000_000);
    }

    @Test
    void aHomeFindsItsBlockAgain() throws IOException {
        int before;
        try (UidBlock first = take("first")) {
            assertThat(first).isNotNull();
            try (UidBlock second = take("second")) {
                before = second.acquire();
                makeCell("second");
            }
        }
        try (UidBlock second = take("second");
                UidBlock first = take("first")) {
            assertThat(second.acquire()).isEqualTo(before);
            assertThat(first.acquire()).isEqualTo(before - BLOCK);
        }
    }

    /** Two servers in one home would delete each other's files. */
    @Test
    void aHomeIsNotTakenTwice() {
        try (UidBlock held = take("home")) {
            assertThat(held).isNotNull();
            assertThatThrownBy(() -> take("home"))
                    .isInstanceOfSatisfying(
                            BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WRONG_STATE))
                    .hasMessageContaining("another boxd runs in");
            assertThatThrownBy(() -> take("./x/../home")).hasMessageContaining("another boxd runs in");
        }
        take("home").close();
    }

    @Test
    void cellsThatOutliveTheirServerKeepTheirIds() throws IOException {
        int orphans;
        try (UidBlock stopped = take("stopped")) {
            orphans = stopped.acquire();
            makeCell("stopped");
        }
        try (UidBlock other = take("other")) {
            assertThat(other.acquire()).isEqualTo(orphans + BLOCK);
        }
        Files.delete(folder.resolve("stopped/cells/c"));
        try (UidBlock other = take("other")) {
            assertThat(other.acquire()).isEqualTo(orphans);
        }
    }

    @Test
    void aServerThatWasKilledGivesUpItsBlockUnlessItHasCells() throws IOException {
        Files.createDirectories(registry());
        Files.writeString(registry().resolve("uids-0"), folder.resolve("gone").toString());
        makeCell("alive");
        Files.writeString(registry().resolve("uids-1"), folder.resolve("alive").toString());
        try (UidBlock one = take("one");
                UidBlock two = take("two")) {
            assertThat(one.acquire()).isEqualTo(1_800_000_000);
            assertThat(two.acquire()).isEqualTo(1_800_000_000 + 2 * BLOCK);
        }
    }

    /** Closing any other descriptor of the file would silently give up the lock on it. */
    @Test
    void theLockIsReallyHeld() throws IOException {
        assumeThat(Path.of("/proc/locks")).exists();
        try (UidBlock one = take("one");
                UidBlock two = take("two")) {
            assertThat(one.acquire()).isNotEqualTo(two.acquire());
            assertThatThrownBy(() -> take("one")).isInstanceOf(BoxdException.class);
            assertThat(locked("uids-0")).isTrue();
            assertThat(locked("uids-1")).isTrue();
        }
        assertThat(locked("uids-0")).isFalse();
        assertThat(locked("lock")).isFalse();
    }

    private boolean locked(String name) throws IOException {
        String inode = Files.getAttribute(registry().resolve(name), "unix:ino").toString();
        return Files.readAllLines(Path.of("/proc/locks")).stream()
                .anyMatch(line -> line.contains("POSIX") && line.contains(":" + inode + " "));
    }

    @Test
    void blocksRunOut() {
        try (UidBlock only = UidBlock.take(registry(), folder.resolve("a"), 1)) {
            assertThat(only).isNotNull();
            assertThatThrownBy(() -> UidBlock.take(registry(), folder.resolve("b"), 1))
                    .isInstanceOfSatisfying(
                            BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED))
                    .hasMessage("every block of user ids is taken");
        }
        UidBlock.take(registry(), folder.resolve("b"), 1).close();
    }

    @Test
    void idsRunOutAndComeBackLast() {
        try (UidBlock block = take("home")) {
            int first = block.acquire();
            block.release(first);
            assertThat(block.acquire()).as("not the one just given back").isEqualTo(first + 1);
            for (int i = 2; i < BLOCK; i++) {
                block.acquire();
            }
            assertThat(block.acquire()).isEqualTo(first);
            assertThatThrownBy(block::acquire).hasMessage("this instance has 4096 cells already");
            block.release(first + 77);
            assertThat(block.acquire()).isEqualTo(first + 77);
        }
    }

    @Test
    void closingTwiceDoesNoHarm() {
        UidBlock block = take("home");
        block.close();
        try (UidBlock other = take("other")) {
            block.close();
            assertThatThrownBy(() -> take("other")).hasMessageContaining("another boxd runs in");
            assertThat(other.acquire()).isPositive();
        }
    }

    private UidBlock take(String home) {
        return UidBlock.take(registry(), folder.resolve(home));
    }

    private Path registry() {
        return folder.resolve("registry");
    }

    private void makeCell(String home) throws IOException {
        Files.createDirectories(folder.resolve(home).resolve("cells/c"));
    }
}
