package io.boxd.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The prompt of the control door, at a terminal of 80 columns and 24 rows. */
@Tag("host")
final class PromptTest {
    private final TestingDoors doors = new TestingDoors();
    private final Path key = doors.keyOf("ada");
    private TestingScreen screen;

    @BeforeEach
    void open() {
        doors.house().boxes().add("task-1");
        screen = doors.screen(doors.client(key, "boxd", "-t"));
        screen.await("boxd>");
    }

    @AfterEach
    void close() {
        screen.close();
        doors.close();
    }

    @Test
    void linesAreDoneOneAfterTheOtherAndRemembered() {
        screen.press("whoami", "Enter").await("ada");
        screen.press("list", "Enter").await("task-1");
        assertThat(screen.coloured()).contains("\u001b[32mrunning");
        screen.press("Up", "Up").awaitMatch("(?s).*boxd> whoami");
        screen.press("C-c").press("lst", "Enter").await("Did you mean 'list'?");
        screen.press("exit", "Enter").await("Connection to 127.0.0.1 closed.");
    }

    @Test
    void verbsFlagsAndBoxesAreCompleted() {
        screen.press("hib", "Tab").awaitMatch("(?s).*boxd> hibernate");
        screen.press("ta", "Tab").awaitMatch("(?s).*boxd> hibernate task-1");
        screen.press("C-u").press("list --j", "Tab").awaitMatch("(?s).*boxd> list --json");
        screen.press("C-u").press("snapshot ", "Tab").await("save");
        screen.press("C-d");
    }

    @Test
    void ctrlCEndsWhatRunsAndCtrlDLeaves() {
        screen.press("exec task-1 'echo begun; sleep 1000'", "Enter").awaitMatch("(?s).*\nbegun.*");
        screen.press("C-c").awaitMatch("(?s).*\\^C\n+boxd>");
        screen.press("events -f", "Enter").await("boxd> events -f");
        screen.pressUntil("C-c", "(?s).*events -f\n.*\nboxd>");
        screen.press("C-d").await("Connection to 127.0.0.1 closed.");
    }

    @Test
    void aShellInABoxGivesTheTerminalBack() {
        screen.press("connect task-1", "Enter").awaitMatch("(?s).*[#$]");
        screen.press("stty size", "Enter").await("24 80");
        screen.resize(100, 30);
        screen.press("clear; stty size", "Enter").await("30 100");
        screen.press("exit", "Enter").awaitMatch("(?s).*boxd>");
        screen.press("whoami", "Enter").await("ada");
    }

    @Test
    void aRevokedKeyCanDoNothingMore() {
        String fingerprint = Command.of("ssh-keygen", "-lf", key + ".pub")
                .check(Deadline.inSeconds(10))
                .output()
                .split(" ", -1)[1];
        doors.house().say("ada", "key rm", "{'fingerprint':'" + fingerprint + "'}");
        screen.press("list", "Enter").await("nobody is known by this key");
    }
}
