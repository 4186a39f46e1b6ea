package io.boxd.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sessions in a box, by OpenSSH's client; what they run is run by the real agent. */
@Tag("host")
final class BoxDoorTest {
    private final TestingDoors doors = new TestingDoors();
    private final Path key = doors.keyOf("ada");

    @BeforeEach
    void open() {
        doors.house().boxes().add("task-1");
    }

    @AfterEach
    void close() {
        doors.close();
    }

    private Command.Result run(String... command) {
        return doors.run(key, "task-1", command);
    }

    @Test
    void streamsAreApartAndTheStatusIsTheCommands() {
        Command.Result result = run("echo out; echo err >&2; exit 7");
        assertThat(result.output()).isEqualTo("out\n");
        assertThat(result.errors()).isEqualTo("err\n");
        assertThat(result.status()).isEqualTo(7);
    }

    @Test
    void inputReachesTheCommandToItsEnd() {
        assertThat(doors.runWith(key, "task-1", "hello\n", "tr a-z A-Z").output())
                .isEqualTo("HELLO\n");
    }

    @Test
    void aSignalIsToldAsASignal() {
        List<String> words = doors.client(key, "task-1", "-v");
        words.add("kill -TERM $$");
        Command.Result result = Command.of(words).run(Deadline.inSeconds(60));
        assertThat(result.status()).isEqualTo(255);
        assertThat(result.errors()).contains("rtype exit-signal").doesNotContain("rtype exit-status");
    }
}
