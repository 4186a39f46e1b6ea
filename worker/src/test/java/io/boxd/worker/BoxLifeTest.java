package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One box through all moves, and its forks from every status. */
@Tag("machine")
class BoxLifeTest {
    private TestingBoxes house;

    @BeforeEach
    void open() {
        house = TestingBoxes.open();
    }

    @AfterEach
    void close() {
        house.close();
    }

    private static void assertCode(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private void assertMove(Move move, boolean changed, Status after) {
        Moved moved = house.move("one", move);
        assertThat(moved.changed()).as(move + " changes").isEqualTo(changed);
        assertThat(moved.box().status()).as("after " + move).isEqualTo(after);
    }

    @Test
    void aBoxThroughAllMoves() throws IOException {
        Box box = house.create("one");
        assertThat(box.status()).isEqualTo(Status.RUNNING);
        assertThat(box.id()).matches("bx_[a-z0-9]{12}");
        assertThat(box.readyMillis()).isPositive();
        assertCode(ErrorCode.ALREADY_EXISTS, () -> house.create("one"));
        assertThat(house.sh("one", "hostname")).isEqualTo("one");
        house.sh("one", "echo memory > /tmp/mark; echo disk > /data/mark; sync");

        assertMove(Move.RESUME, false, Status.RUNNING);
        assertMove(Move.PAUSE, true, Status.STANDBY);
        assertMove(Move.PAUSE, false, Status.STANDBY);
        assertMove(Move.RESUME, true, Status.RUNNING);
        assertMove(Move.HIBERNATE, true, Status.HIBERNATED);
        assertMove(Move.HIBERNATE, false, Status.HIBERNATED);
        assertThat(entries("cells")).isEmpty();
        assertCode(ErrorCode.WRONG_STATE, () -> house.move("one", Move.PAUSE));
        assertMove(Move.WAKE, true, Status.RUNNING);
        assertThat(house.sh("one", "cat /tmp/mark /data/mark")).isEqualTo("memory\ndisk");
        TestingBoxes.await("the memory's end", () -> entries("snapshots").isEmpty());

        house.boxes().rename("one", "renamed");
        assertThat(house.sh("renamed", "hostname")).isEqualTo("renamed");
        house.boxes().rename(box.id(), "one");
        house.boxes().label("one", Map.of("task", Optional.of("7"), "none", Optional.empty()));
        assertThat(house.boxes().find("one").labels()).containsExactlyEntriesOf(Map.of("task", "7"));

        assertMove(Move.STOP, true, Status.STOPPED);
        assertMove(Move.STOP, false, Status.STOPPED);
        assertCode(ErrorCode.WRONG_STATE, () -> house.sh("one", "true"));
        assertMove(Move.START, true, Status.RUNNING);
        assertThat(house.sh("one", "cat /data/mark; ls /tmp/mark 2>/dev/null || true"))
                .isEqualTo("disk");
        assertMove(Move.REBOOT, true, Status.RUNNING);
        assertThat(house.sh("one", "cat /data/mark")).isEqualTo("disk");

        assertThat(house.boxes().destroy(List.of("one"), false, TestingBoxes.soon()))
                .containsExactly(box.id());
        assertThat(house.boxes().list()).isEmpty();
        assertThat(entries("cells")).isEmpty();
        assertThat(entries("layers")).isEmpty();
        assertThat(entries("snapshots")).isEmpty();
    }

    @Test
    void aForkFromEachStatus() throws IOException {
        Box one = house.create("one");
        house.sh("one", "echo memory > /tmp/mark; echo disk > /data/mark; sync");
        Forked two = house.boxes()
                .fork("one", new ForkOrder(List.of("a-1", "a-2"), false, Map.of("k", "v")), TestingBoxes.soon());
        assertThat(two.pause()).isPositive();
        assertThat(two.boxes()).extracting(Box::forkedFrom).containsOnly(Optional.of(one.id()));
        assertThat(house.sh("a-2", "hostname; cat /tmp/mark")).isEqualTo("a-2\nmemory");
        house.boxes().destroy(List.of("a-1", "a-2"), false, TestingBoxes.soon());

        house.move("one", Move.PAUSE);
        Forked paused = house.boxes().fork("one", new ForkOrder(List.of("b"), true, Map.of()), TestingBoxes.soon());
        assertThat(paused.boxes()).extracting(Box::status).containsExactly(Status.STANDBY);
        assertThat(house.status("one")).isEqualTo(Status.STANDBY);
        assertThat(house.sh("b", "cat /tmp/mark")).isEqualTo("memory");
        house.boxes().destroy(List.of("b"), false, TestingBoxes.soon());

        house.move("one", Move.HIBERNATE);
        house.fork("one", "c");
        assertThat(house.status("one")).isEqualTo(Status.HIBERNATED);
        assertThat(house.sh("c", "cat /tmp/mark /data/mark")).isEqualTo("memory\ndisk");
        house.boxes().destroy(List.of("c"), false, TestingBoxes.soon());

        house.move("one", Move.STOP);
        house.fork("one", "d");
        house.sh("d", "echo other > /data/mark; sync");
        assertThat(house.status("one")).isEqualTo(Status.STOPPED);
        house.move("one", Move.START);
        assertThat(house.sh("one", "cat /data/mark")).isEqualTo("disk");
        assertThat(house.sh("d", "cat /data/mark")).isEqualTo("other");

        assertThat(house.boxes().destroy(List.of("one"), true, TestingBoxes.soon()))
                .hasSize(2);
        assertThat(entries("layers")).isEmpty();
    }

    private List<Path> entries(String folder) {
        try (Stream<Path> entries = Files.list(FileOwner.folder(house.home().resolve(folder)))) {
            return entries.toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
