package io.boxd.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whether anything of a request is left behind: the heap after very many is what it was after some. */
@Tag("host")
class LoadTest {
    private static final boolean LONG = Boolean.getBoolean("boxd.test.long");
    private static final int LISTS = LONG ? 10_000 : 1_000;
    private static final int COMMANDS = LONG ? 2_000 : 100;
    private static final long ROOM_BYTES = 4 << 20;

    private final TestingDoor door = new TestingDoor(config -> config.withRateLimit(0));

    @AfterEach
    void close() {
        door.close();
    }

    private void ask(int lists, int commands) throws IOException {
        for (int i = 0; i < lists; i++) {
            assertThat(door.get("/v1/boxes").status()).isEqualTo(200);
        }
        for (int i = 0; i < commands; i++) {
            TestingDoor.Answer ran = door.post("/v1/boxes/a/exec", "{'argv':['true']}");
            assertThat(ran.json().path("exit_code").asInt(-1)).isZero();
        }
    }

    /** The least of several looks: what is only waiting to be collected does not count. */
    private static long alive() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    @Test
    void theHeapStaysFlat() throws IOException {
        door.house().boxes().add("a");
        ask(LISTS / 10, COMMANDS / 10);
        long before = alive();
        ask(LISTS, COMMANDS);
        assertThat(alive() - before).as("bytes that are left behind").isLessThan(ROOM_BYTES);
    }

    /** The check itself: a kilobyte kept for each request would be noticed. */
    @Test
    void whatIsKeptIsNoticed() throws IOException {
        door.house().boxes().add("a");
        List<byte[]> kept = new ArrayList<>();
        long before = alive();
        for (int i = 0; i < LISTS; i++) {
            kept.add(new byte[LONG ? 1 << 10 : 10 << 10]);
        }
        assertThat(alive() - before).isGreaterThan(ROOM_BYTES);
        assertThat(kept).hasSize(LISTS);
    }
}
