package io.boxd.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.ExitStatus;
import io.boxd.worker.Status;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Commands through control, run by the real agent. */
@Tag("host")
class ExecutionsTest {
    private final TestingControl house = new TestingControl();

    @BeforeEach
    void open() {
        house.boxes().add("a");
    }

    @AfterEach
    void close() {
        house.close();
    }

    private JsonNode exec(String fields) {
        return house.say("exec", "{'box':'a'," + fields + "}");
    }

    private ExecutionStream stream(String fields) {
        return house.control().exec(TestingControl.CALLER, TestingControl.object("{'box':'a'," + fields + "}"));
    }

    private static Deadline soon() {
        return Deadline.inSeconds(20);
    }

    /** Reads to the end; what came is in the text. */
    private static Happening.Ended drain(BoxStream stream, ByteArrayOutputStream text) {
        while (true) {
            switch (stream.next(soon())) {
                case Happening.Output(var _, var data) -> {
                    byte[] bytes = new byte[data.remaining()];
                    data.get(bytes);
                    text.writeBytes(bytes);
                }
                case Happening.Skipped(long to) -> text.writeBytes(("[" + to + "]").getBytes(UTF_8));
                case Happening.Ended ended -> {
                    return ended;
                }
                case Happening.Nothing() -> throw new AssertionError("nothing came; until then: " + text);
            }
        }
    }

    private static String readUntil(BoxStream stream, String wanted) {
        StringBuilder text = new StringBuilder();
        Deadline deadline = soon();
        while (text.indexOf(wanted) < 0) {
            switch (stream.next(deadline)) {
                case Happening.Output(var _, var data) -> text.append(UTF_8.decode(data));
                default -> throw new AssertionError("no '" + wanted + "' in: " + text);
            }
        }
        return text.toString();
    }

    @Test
    void runsToTheEndAndTellsEverything() {
        JsonNode answer = exec("'script':'echo out; echo err >&2; exit 3'");
        assertThat(answer.path("stdout").asString()).isEqualTo("out\n");
        assertThat(answer.path("stderr").asString()).isEqualTo("err\n");
        assertThat(answer.path("output").asString()).hasSize(8);
        assertThat(answer.path("exit_code").asInt()).isEqualTo(3);
        assertThat(answer.path("signal").isNull()).isTrue();
        assertThat(answer.path("timed_out").asBoolean()).isFalse();
        assertThat(answer.path("truncated").asBoolean()).isFalse();
        assertThat(answer.path("exec_id").asString()).matches("ex_[0-9a-f]{32}");
        assertThat(house.boxes().commandsBegun()).isEqualTo(1);
        assertThat(house.boxes().openHolds()).isZero();
    }

    @Test
    void wordsAreKeptApartAndOneWordIsForTheShell() {
        assertThat(exec("'argv':['printf','[%s]','a b']").path("stdout").asString())
                .isEqualTo("[a b]");
        assertThat(exec("'command':['printf','[%s]','a b']").path("stdout").asString())
                .isEqualTo("[a b]");
        assertThat(exec("'command':['echo 1 | cat']").path("stdout").asString()).isEqualTo("1\n");
    }

    @Test
    void theBoxesEnvironmentIsInEveryCommandAndTheCommandsOwnComesLast() {
        String script = "'script':'echo $FROM_BOX $MINE; pwd'";
        String folder = System.getProperty("java.io.tmpdir");
        assertThat(exec(script + ",'env':{'MINE':'1'}").path("stdout").asString())
                .isEqualTo("yes 1\n" + folder + "\n");
        assertThat(exec(script + ",'env':{'FROM_BOX':'no'},'cwd':'/usr'")
                        .path("stdout")
                        .asString())
                .isEqualTo("no\n/usr\n");
    }

    @Test
    void inputIsPassedOn() {
        assertThat(exec("'argv':['cat'],'stdin':'hello'").path("stdout").asString())
                .isEqualTo("hello");
        assertThat(exec("'argv':['cat']").path("stdout").asString()).isEmpty();
    }

    @Test
    void returnsWhenTheCommandEndsAlthoughItsChildrenHoldThePipes() {
        JsonNode answer = exec("'script':'sleep 60 & echo started'");
        assertThat(answer.path("stdout").asString()).isEqualTo("started\n");
        assertThat(answer.path("duration_ms").asLong()).isLessThan(15_000);
    }

    @Test
    void aCommandWhoseTimeIsOverIsKilledWithItsGroup() {
        JsonNode answer = exec("'script':'(sleep 300; echo late) & sleep 300','timeout_s':1");
        assertThat(answer.path("timed_out").asBoolean()).isTrue();
        assertThat(answer.path("exit_code").asInt()).isEqualTo(124);
        assertThat(answer.path("signal").asString()).isEqualTo("KILL");
        JsonNode listed = house.say("ps", "{'box':'a'}").get(0);
        assertThat(listed.path("status").asString()).isEqualTo("killed");
        assertThat(listed.path("exit_code").asInt()).isEqualTo(124);
    }

    @Test
    void theTimeOfADetachedCommandEndsToo() {
        JsonNode begun = exec("'argv':['sleep','300'],'detach':true,'timeout_s':1");
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (ExecutionStream stream = house.control()
                .attach(
                        TestingControl.CALLER,
                        TestingControl.object(
                                "{'box':'a','exec_id':'" + begun.path("exec_id").asString() + "'}"))) {
            Happening.Ended ended = drain(stream, text);
            assertThat(ended.timedOut()).isTrue();
            assertThat(ended.exitCode()).contains(124);
        }
    }

    @Test
    void whatCannotBeRunIsRefusedWithTheReason() {
        assertThatThrownBy(() -> exec("'argv':['no-such-program']"))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
        assertThatThrownBy(() -> exec("'env':{}")).hasMessageContaining("argv");
        assertThatThrownBy(() -> exec("'argv':['a'],'script':'b'")).hasMessageContaining("exclude");
        assertThat(house.boxes().openHolds()).isZero();
        house.say("stop", "{'box':'a'}");
        assertThatThrownBy(() -> exec("'script':'true'")).isInstanceOfSatisfying(BoxdException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.WRONG_STATE);
            assertThat(e.hint()).contains("start");
        });
    }

    @Test
    void checkpointsAreTakenFirstAndLedBackToByTheCommand() {
        JsonNode answer = exec("'script':'echo 1','checkpoint':true");
        String snapshot = answer.path("snapshot_id").asString();
        JsonNode kept = house.say("snapshot show", "{'snapshot':'" + snapshot + "'}");
        assertThat(kept.path("cause").asString()).isEqualTo("checkpoint");
        assertThat(kept.path("command").asString()).isEqualTo("echo 1");
        assertThat(kept.path("exec_id")).isEqualTo(answer.path("exec_id"));
        String prefix = answer.path("exec_id").asString().substring(0, 9);
        JsonNode back = house.say("rollback", "{'box':'a','before':'" + prefix + "'}");
        assertThat(back.path("left_snapshot").path("cause").asString()).isEqualTo("left");
        house.say("new", "{'name':'b','checkpoint_every':'exec'}");
        assertThat(house.say("exec", "{'box':'b','script':'true'}")
                        .path("snapshot_id")
                        .asString())
                .startsWith("sn_");
    }

    @Test
    void listsAndKillsByABitOfTheId() {
        String id = exec("'argv':['sleep','300'],'detach':true").path("exec_id").asString();
        JsonNode listed = house.say("ps", "{'box':'a'}").get(0);
        assertThat(listed.path("exec_id").asString()).isEqualTo(id);
        assertThat(listed.path("status").asString()).isEqualTo("running");
        assertThat(listed.path("command").asString()).isEqualTo("sleep 300");
        house.say("kill", "{'box':'a','exec_id':'" + id.substring(0, 10) + "','signal':'SIGINT'}");
        try (ExecutionStream stream = house.control()
                .attach(TestingControl.CALLER, TestingControl.object("{'box':'a','exec_id':'" + id + "'}"))) {
            Happening.Ended ended = drain(stream, new ByteArrayOutputStream());
            assertThat(ended.signal()).contains("INT");
            assertThat(ended.exitCode()).contains(130);
            assertThat(ended.duration()).isPresent();
        }
        assertThatThrownBy(() -> house.say("kill", "{'box':'a','exec_id':'ex_0000'}"))
                .hasMessageContaining("no execution ex_0000");
        assertThatThrownBy(() -> house.say("kill", "{'box':'a','exec_id':'17'}"))
                .hasMessageContaining("no execution's id");
    }

    @Test
    void twoClientsSeeAndTypeTogether() throws Exception {
        try (ExecutionStream one = stream("'tty':true,'stdin':true,'argv':['cat']");
                ExecutionStream other = house.control()
                        .attach(
                                TestingControl.CALLER,
                                TestingControl.object("{'box':'a','exec_id':'" + one.execution() + "'}"))) {
            one.write("from one\n".getBytes(UTF_8), 0, 9);
            assertThat(readUntil(other, "from one\r\nfrom one")).isNotEmpty();
            other.write("other\n".getBytes(UTF_8), 0, 6);
            assertThat(readUntil(one, "other\r\nother")).isNotEmpty();
            one.resize(40, 100);
            one.endInput();
            assertThat(drain(other, new ByteArrayOutputStream()).exitCode()).contains(0);
        }
    }

    @Test
    void anAttachedStreamGoesOnAtItsOffset() {
        String id = exec("'script':'echo 0123456789; sleep 300','detach':true")
                .path("exec_id")
                .asString();
        readUntil(
                house.control()
                        .attach(TestingControl.CALLER, TestingControl.object("{'box':'a','exec_id':'" + id + "'}")),
                "9\n");
        try (ExecutionStream stream = house.control()
                .attach(
                        TestingControl.CALLER,
                        TestingControl.object("{'box':'a','exec_id':'" + id + "','offset':4}"))) {
            assertThat(stream.firstOffset()).isEqualTo(4);
            assertThat(readUntil(stream, "9\n")).isEqualTo("456789\n");
            stream.signal("KILL");
            assertThat(drain(stream, new ByteArrayOutputStream()).status()).contains(new ExitStatus.Killed(9, false));
        }
    }

    @Test
    void logsEndWithWhatThereIsAndFollowOnlyIfAsked() {
        String id = exec("'script':'echo said; sleep 300','detach':true")
                .path("exec_id")
                .asString();
        try (BoxStream following = house.control()
                .logs(
                        TestingControl.CALLER,
                        TestingControl.object("{'box':'a','exec_id':'" + id + "','follow':true}"))) {
            readUntil(following, "said\n");
            try (BoxStream stream = house.control().logs(TestingControl.CALLER, TestingControl.object("{'box':'a'}"))) {
                ByteArrayOutputStream text = new ByteArrayOutputStream();
                Happening.Ended ended = drain(stream, text);
                assertThat(text.toString(UTF_8)).isEqualTo("said\n");
                assertThat(ended.status()).isEmpty();
                assertThat(ended.exitCode()).isEmpty();
            }
            house.say("kill", "{'box':'a','exec_id':'" + id + "'}");
            assertThat(drain(following, new ByteArrayOutputStream()).signal()).contains("TERM");
        }
        assertThatThrownBy(() -> house.control()
                        .logs(TestingControl.CALLER, TestingControl.object("{'box':'a','exec_id':'ex_12345'}")))
                .hasMessageContaining("ex_12345");
    }

    @Test
    void theConsoleIsFollowedByWhatIsNew() {
        house.boxes().setConsole("booting\n");
        try (BoxStream once =
                house.control().logs(TestingControl.CALLER, TestingControl.object("{'box':'a','console':true}"))) {
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            assertThat(drain(once, text).status()).isEmpty();
            assertThat(text.toString(UTF_8)).isEqualTo("booting\n");
        }
        try (BoxStream following = house.control()
                .logs(TestingControl.CALLER, TestingControl.object("{'box':'a','console':true,'follow':true}"))) {
            assertThat(readUntil(following, "booting\n")).isEqualTo("booting\n");
            assertThat(following.next(Deadline.inMillis(600))).isEqualTo(new Happening.Nothing());
            house.boxes().setConsole("booting\nlogin:");
            assertThat(readUntil(following, "login:")).isEqualTo("login:");
        }
    }

    @Test
    void aQuietShellLetsGoOfItsBoxAndTypingHoldsItAgain() throws Exception {
        try (ExecutionStream shell = stream("'tty':true,'stdin':true,'argv':['cat']")) {
            assertThat(house.boxes().commandsBegun()).isZero();
            assertThat(house.boxes().openHolds()).isEqualTo(1);
            Duration longEnough = Limits.QUIET.plusSeconds(1);
            assertThat(shell.next(Deadline.in(longEnough))).isEqualTo(new Happening.Nothing());
            assertThat(house.boxes().openHolds()).isZero();
            house.say("pause", "{'box':'a'}");
            shell.write("again\n".getBytes(UTF_8), 0, 6);
            assertThat(readUntil(shell, "again\r\nagain")).isNotEmpty();
            assertThat(house.boxes().find("a").status()).isEqualTo(Status.RUNNING);
            assertThat(house.boxes().openHolds()).isEqualTo(1);
        }
        assertThat(house.boxes().openHolds()).isZero();
    }

    @Test
    void aStreamOutlivesHibernation() throws Exception {
        try (ExecutionStream shell = stream("'tty':true,'stdin':true,'argv':['cat']")) {
            shell.write("before\n".getBytes(UTF_8), 0, 7);
            readUntil(shell, "before\r\nbefore\r\n");
            house.say("hibernate", "{'box':'a'}");
            assertThat(shell.next(Deadline.inMillis(1200))).isEqualTo(new Happening.Nothing());
            assertThat(house.boxes().find("a").status())
                    .as("a stream does not wake what somebody has put to sleep")
                    .isEqualTo(Status.HIBERNATED);
            Thread typist = Thread.ofVirtual().start(() -> {
                try {
                    shell.write("after\n".getBytes(UTF_8), 0, 6);
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            assertThat(readUntil(shell, "after\r\nafter")).doesNotContain("before");
            typist.join();
        }
    }

    @Test
    void aStreamOfABoxThatIsNoMoreEndsWithTheReason() {
        try (ExecutionStream stream = stream("'argv':['sleep','300']")) {
            house.say("stop", "{'box':'a'}");
            assertThatThrownBy(() -> stream.next(soon()))
                    .isInstanceOfSatisfying(
                            BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WRONG_STATE))
                    .hasMessageContaining("stopped");
        }
    }

    @Test
    void muchOutputIsCutInAnAnswerAndWholeInAStream() {
        JsonNode answer = exec("'script':'head -c 20000000 /dev/zero'");
        assertThat(answer.path("truncated").asBoolean()).isTrue();
        assertThat(answer.path("stdout").asString()).hasSize(Limits.CAPTURED_BYTES);
        long bytes = 0;
        try (ExecutionStream stream = stream("'script':'head -c 20000000 /dev/zero'")) {
            Happening next = stream.next(soon());
            while (next instanceof Happening.Output(var _, var data)) {
                bytes += data.remaining();
                next = stream.next(soon());
            }
            assertThat(next).isInstanceOf(Happening.Ended.class);
            assertThat(((Happening.Ended) next).status()).isEqualTo(Optional.of(new ExitStatus.Exited(0)));
        }
        assertThat(bytes).isEqualTo(20_000_000);
    }

    /** Somebody whose token is revoked learns nothing more; the command goes on, it belongs to the box. */
    @Test
    void aStreamEndsWithTheTokenThatBeganIt() {
        JsonNode token = house.say("token create", "{}");
        Caller bearer = house.bearer(token.path("token").asString());
        try (ExecutionStream theirs =
                        house.control().exec(bearer, TestingControl.object("{'box':'a','argv':['sleep','300']}"));
                ExecutionStream ours = stream("'argv':['sleep','300']")) {
            house.say("token revoke", "{'token':'" + token.path("id").asString() + "'}");
            assertThatThrownBy(() -> theirs.next(soon())).isInstanceOf(BoxdException.class);
            assertThat(ours.next(Deadline.inMillis(100))).isEqualTo(new Happening.Nothing());
            assertThat(house.say("ps", "{'box':'a'}")).hasSize(2);
        }
        assertThatThrownBy(() -> house.bearer(token.path("token").asString())).hasMessageContaining("does not count");
    }
}
