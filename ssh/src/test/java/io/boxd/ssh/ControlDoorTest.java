package io.boxd.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.linux.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Verbs at the control door, by OpenSSH's client. */
@Tag("host")
final class ControlDoorTest {
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
        return doors.run(key, "boxd", command);
    }

    @Test
    void verbsAnswerAsTheCommandDoes() {
        assertThat(run("whoami").output()).contains("ada");
        assertThat(Json.parse(run("list", "--json").output())
                        .path(0)
                        .path("name")
                        .asString())
                .isEqualTo("task-1");
        Command.Result missing = run("info", "nothing");
        assertThat(missing.status()).isEqualTo(3);
        assertThat(missing.errors()).isEqualTo("boxd: there is no box nothing\n  See them all: boxd list.\n");
        assertThat(missing.output()).isEmpty();
        Command.Result json = run("info", "nothing", "--json");
        assertThat(Json.parse(json.errors()).path("error").path("code").asString())
                .isEqualTo("not_found");
        assertThat(run("lst").status()).isEqualTo(2);
        assertThat(run("list", "--context", "x").errors()).contains("always this server");
        assertThat(run("help").output()).contains("snapshot save").doesNotContain("boxd serve");
    }

    @Test
    void theAccountsOwnNameIsTheControlDoorToo() {
        assertThat(doors.run(key, "ada", "whoami").output()).contains("ada");
    }

    @Test
    void aMistypedBoxIsNoVerb() {
        Command.Result result = doors.run(key, "task-l", "destroy task-1");
        assertThat(result.status()).isEqualTo(255);
        assertThat(result.errors()).contains("there is no box task-l").contains("Did you mean task-1?");
        assertThat(run("list").output()).contains("task-1");
    }

    @Test
    void commandsAreQuotedAsPeopleTypeThem() {
        assertThat(run("exec", "task-1", "cd /usr && pwd | tr a-z A-Z").output())
                .isEqualTo("/USR\n");
        assertThat(run("exec", "task-1", "--", "uname", "-s").output()).isEqualTo("Linux\n");
        assertThat(run("exec task-1 'echo one; echo two'").output()).isEqualTo("one\ntwo\n");
        assertThat(run("exec task-1 -e A=\"b c\" -- echo \"$A\" '\"x\"'").output())
                .isEqualTo("b c \"x\"\n");
    }

    @Test
    void commandsKeepTheirStreamsAndStatus() {
        Command.Result result = run("exec", "task-1", "echo out; echo err >&2; exit 9");
        assertThat(result.output()).isEqualTo("out\n");
        assertThat(result.errors()).isEqualTo("err\n");
        assertThat(result.status()).isEqualTo(9);
        assertThat(run("exec", "task-1", "kill -9 $$").status()).isEqualTo(137);
        assertThat(run("exec", "nothing", "true").status()).isEqualTo(125);
        assertThat(doors.runWith(key, "boxd", "abc", "exec", "task-1", "wc -c")
                        .output()
                        .strip())
                .isEqualTo("3");
        assertThat(Json.parse(run("exec", "task-1", "--json", "echo hi").output())
                        .path("output")
                        .asString())
                .isEqualTo("hi\n");
    }

    @Test
    void filesGoThroughTheStreams() throws IOException {
        Path file = doors.folder().resolve("copied");
        assertThat(doors.runWith(key, "boxd", "content", "cp", "-", "task-1:" + file)
                        .status())
                .isZero();
        assertThat(Files.readString(file)).isEqualTo("content");
        assertThat(run("cp", "task-1:" + file, "-").output()).isEqualTo("content");
        assertThat(run("cp", "task-1:" + file, "task-1:" + file + "-2").status())
                .isZero();
        assertThat(Files.readString(Path.of(file + "-2"))).isEqualTo("content");
        Command.Result here = run("cp", "task-1:" + file, "/etc/passwd");
        assertThat(here.status()).isEqualTo(2);
        assertThat(here.errors()).contains("files of your machine");
    }

    @Test
    void keysAreAddedFromTheInput() {
        Path other = doors.key("other");
        assertThat(doors.run(other, "boxd", "whoami").status()).isEqualTo(5);
        assertThat(doors.runWith(key, "boxd", doors.publicKey(other), "key", "add", "-")
                        .status())
                .isZero();
        assertThat(doors.run(other, "boxd", "whoami").output()).contains("ada");
        String fingerprint = Json.parse(
                        doors.run(other, "boxd", "key", "list", "--json").output())
                .valueStream()
                .filter(each -> each.path("comment").asString("").equals("other"))
                .map(each -> each.path("fingerprint").asString())
                .findFirst()
                .orElseThrow();
        assertThat(run("key", "rm", fingerprint).status()).isZero();
        assertThat(doors.run(other, "boxd", "whoami").status()).isEqualTo(5);
    }

    @Test
    void somebodyElsesBoxIsAsOneThatIsNotThere() {
        Path bob = doors.keyOf("bob");
        Command.Result hidden = doors.run(bob, "task-1", "true");
        Command.Result missing = doors.run(bob, "task-2", "true");
        assertThat(hidden.status()).isEqualTo(missing.status());
        assertThat(hidden.errors()).isEqualTo(missing.errors().replace("task-2", "task-1"));
    }

    @Test
    void aTerminalGetsColoursAndTheOtherGetsNone() {
        List<String> words = doors.client(key, "boxd", "-tt", "-o", "SetEnv=TERM=xterm");
        words.add("list");
        String seen = Command.of(words)
                .withEnvironment("TERM", "xterm")
                .run(Deadline.inSeconds(30))
                .output();
        assertThat(seen).contains("\u001b[").contains("\r\n");
        assertThat(run("list").output()).doesNotContain("\u001b").doesNotContain("\r");
    }
}
