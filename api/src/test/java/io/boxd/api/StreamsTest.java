package io.boxd.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.Deadline;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Streams over WebSockets, with commands that the real agent runs. */
@Tag("host")
class StreamsTest {
    private static final boolean LONG = Boolean.getBoolean("boxd.test.long");
    private static final String EXEC = "/v1/boxes/a/exec";

    private final TestingDoor door = new TestingDoor();

    @BeforeEach
    void open() {
        door.house().boxes().add("a");
    }

    @AfterEach
    void close() {
        door.close();
    }

    private TestingSocket exec(String fields) {
        return TestingSocket.open(door, EXEC).say("{'start':{" + fields + "}}");
    }

    @Test
    void aCommandIsStreamedToItsEnd() {
        try (TestingSocket socket = exec("'script':'echo out; echo err >&2; exit 7'")) {
            JsonNode started = socket.await("started");
            assertThat(started.path("exec_id").asString()).matches("ex_[0-9a-f]{32}");
            assertThat(started.path("offset").asLong()).isZero();
            assertThat(started.path("tty").asBoolean()).isFalse();
            TestingSocket.Message one = socket.next();
            TestingSocket.Message two = socket.next();
            assertThat(List.of(one.channel(), two.channel())).containsExactlyInAnyOrder(1, 2);
            JsonNode ended = socket.await("ended");
            assertThat(ended.path("exit_code").asInt()).isEqualTo(7);
            assertThat(ended.path("timed_out").asBoolean()).isFalse();
            assertThat(ended.path("duration_ms").asLong()).isBetween(0L, 20_000L);
            assertThat(socket.next().end()).isTrue();
        }
    }

    @Test
    void inputFlowsByCredit() {
        byte[] sent = new byte[3 << 20];
        new java.util.Random(1).nextBytes(sent);
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        try (TestingSocket socket = exec("'argv':['cat'],'stdin':true")) {
            socket.await("started");
            long credit = 0;
            int done = 0;
            while (done < sent.length) {
                while (credit < 16 << 10) {
                    credit += socket.await("input_credit", heard).asLong();
                }
                int count = Math.min(16 << 10, sent.length - done);
                socket.type(Arrays.copyOfRange(sent, done, done + count));
                credit -= count;
                done += count;
            }
            socket.say("{'end_input':true}");
            assertThat(socket.await("ended", heard).path("exit_code").asInt()).isZero();
        }
        assertThat(heard.toByteArray()).isEqualTo(sent);
    }

    @Test
    void inputBeyondTheCreditIsRefused() throws IOException {
        try (TestingSocket socket = exec("'argv':['sleep','300']")) {
            String id = socket.await("started").path("exec_id").asString();
            socket.type("without any");
            TestingSocket.Message message = socket.next();
            while (message.text() == null || !message.text().has("error")) {
                message = socket.next();
            }
            assertThat(message.text().path("error").path("message").asString()).contains("credit");
            assertThat(socket.next().end()).isTrue();
            assertThat(door.get("/v1/boxes/a/executions")
                            .json()
                            .get(0)
                            .path("status")
                            .asString())
                    .as("the command is not touched")
                    .isEqualTo("running");
            door.post("/v1/boxes/a/executions/" + id + "/kill", "{'signal':'KILL'}");
        }
    }

    @Test
    void aTerminalHasASizeSignalsAndAnEnd() {
        String fields = "'tty':true,'stdin':true,'rows':30,'columns':100,'argv':['sh']";
        try (TestingSocket socket = exec(fields)) {
            assertThat(socket.await("started").path("tty").asBoolean()).isTrue();
            socket.await("input_credit");
            socket.type("stty size\n");
            socket.hear("30 100");
            socket.say("{'resize':{'rows':40,'columns':120}}");
            socket.type("stty size\n");
            socket.hear("40 120");
            socket.type("exit 5\n");
            assertThat(socket.await("ended").path("exit_code").asInt()).isEqualTo(5);
        }
        try (TestingSocket socket = exec("'argv':['sleep','300']")) {
            socket.await("started");
            socket.say("{'signal':'INT'}");
            JsonNode ended = socket.await("ended");
            assertThat(ended.path("signal").asString()).isEqualTo("INT");
            assertThat(ended.path("exit_code").asInt()).isEqualTo(130);
        }
    }

    @Test
    void whoeverLeavesCanComeBackAtTheOffset() {
        String id;
        long offset;
        try (TestingSocket socket = exec("'script':'for i in 0 1 2 3 4 5 6 7 8 9; do echo line $i; sleep 0.1; done'")) {
            id = socket.await("started").path("exec_id").asString();
            offset = socket.next().bytes().length;
        }
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        String path = "/v1/boxes/a/executions/" + id + "/attach";
        try (TestingSocket socket = TestingSocket.open(door, path).say("{'start':{'offset':" + offset + "}}")) {
            assertThat(socket.await("started").path("offset").asLong()).isEqualTo(offset);
            assertThat(socket.await("ended", heard).path("exit_code").asInt()).isZero();
        }
        assertThat(heard.toString(UTF_8)).hasSize(70 - (int) offset).endsWith("line 9\n");
    }

    @Test
    void whoeverComesBackLearnsHowMuchInputHasArrived() {
        try (TestingSocket socket = exec("'argv':['cat'],'stdin':true")) {
            JsonNode started = socket.await("started");
            assertThat(started.path("input_offset").asLong(-1)).isZero();
            socket.await("input_credit");
            socket.type("twelve bytes");
            socket.hear("twelve bytes");
            String path = "/v1/boxes/a/executions/" + started.path("exec_id").asString() + "/attach";
            try (TestingSocket again = TestingSocket.open(door, path).say("{'start':{'offset':12}}")) {
                assertThat(again.await("started").path("input_offset").asLong()).isEqualTo(12);
                again.say("{'end_input':true}");
                assertThat(again.await("ended").path("exit_code").asInt()).isZero();
            }
        }
    }

    @Test
    void logsTellWhatWasSaidAndFollow() throws IOException {
        JsonNode begun = door.post(EXEC, "{'script':'echo said; sleep 300','detach':true}")
                .json();
        String id = begun.path("exec_id").asString();
        try (TestingSocket following =
                TestingSocket.open(door, "/v1/boxes/a/logs").say("{'start':{'follow':true}}")) {
            following.hear("said\n");
            ByteArrayOutputStream heard = new ByteArrayOutputStream();
            try (TestingSocket socket =
                    TestingSocket.open(door, "/v1/boxes/a/logs").say("{'start':{}}")) {
                JsonNode ended = socket.await("ended", heard);
                assertThat(ended.path("exit_code").isNull()).isTrue();
                assertThat(heard.toString(UTF_8)).isEqualTo("said\n");
            }
            door.post("/v1/boxes/a/executions/" + id + "/kill", "{'signal':'KILL'}");
            assertThat(following.await("ended").path("signal").asString()).isEqualTo("KILL");
        }
    }

    @Test
    void execWithoutAStreamAnswersOnce() throws IOException {
        TestingDoor.Answer answer = door.post(EXEC, "{'argv':['cat'],'stdin':'hello'}");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().path("output").asString()).isEqualTo("hello");
        assertThat(door.post(EXEC, "{'argv':['no-such-program']}").status()).isEqualTo(404);
    }

    @Test
    void whatIsWrongBeforeTheUpgradeIsAnHttpError() {
        assertThatThrownBy(() -> TestingSocket.open(door, "/v1/boxes/nobody/exec"))
                .hasStackTraceContaining("404");
        assertThatThrownBy(() -> TestingSocket.openAs(door, EXEC, "other.v9")).hasStackTraceContaining("400");
        assertThatThrownBy(() -> TestingSocket.open(door, "/v1/boxes")).hasStackTraceContaining("405");
    }

    @Test
    void whatIsWrongAfterwardsIsAnErrorMessage() {
        for (String nonsense : List.of(
                "{'start':{'argv':['no-such-program']}}",
                "{'start':{'nonsense':1,'argv':['true']}}",
                "{'start':{}}",
                "{'start':1}",
                "{'signal':'INT'}",
                "[]",
                "{")) {
            try (TestingSocket socket = TestingSocket.open(door, EXEC).say(nonsense)) {
                JsonNode text = java.util.Objects.requireNonNull(socket.next().text(), nonsense);
                assertThat(text.path("error").path("code").asString())
                        .as(nonsense)
                        .isIn("invalid_argument", "not_found");
                assertThat(socket.next().end()).isTrue();
            }
        }
        assertThat(door.house().boxes().openHolds()).isZero();
    }

    @Test
    void whoeverDoesNotReadHoldsUpTheCommandAndNoMemory() throws IOException {
        long bytes = LONG ? 1L << 30 : 128L << 20;
        try (TestingSocket socket = exec("'script':'head -c " + bytes + " /dev/zero'")) {
            socket.await("started");
            long said = settled();
            assertThat(said)
                    .as("bytes the command got rid of while nobody read")
                    .isLessThan(48L << 20);
            long heard = 0;
            TestingSocket.Message message = socket.next();
            while (message.text() == null) {
                heard += message.bytes().length;
                message = socket.next();
            }
            assertThat(message.text().path("ended").path("exit_code").asInt(-1)).isZero();
            assertThat(heard).isEqualTo(bytes);
        }
    }

    /** How much the newest command has said once it says no more. */
    private long settled() throws IOException {
        Deadline deadline = Deadline.inSeconds(30);
        long before = -1;
        int same = 0;
        while (same < 20) {
            assertThat(deadline.passed()).as("the command never stood still").isFalse();
            long now = door.get("/v1/boxes/a/executions")
                    .json()
                    .get(0)
                    .path("output_bytes")
                    .asLong();
            same = now == before && now > 0 ? same + 1 : 0;
            before = now;
        }
        return before;
    }

    @Test
    void aClientThatVanishesLeavesNothingHeld() throws IOException {
        try (TestingSocket socket = exec("'argv':['sleep','300']")) {
            socket.await("started");
            assertThat(door.house().boxes().openHolds()).isEqualTo(1);
        }
        Deadline deadline = Deadline.inSeconds(20);
        while (door.house().boxes().openHolds() > 0) {
            assertThat(deadline.passed()).as("the hold was given back").isFalse();
            Thread.onSpinWait();
        }
        assertThat(door.get("/v1/boxes/a/executions")
                        .json()
                        .get(0)
                        .path("status")
                        .asString())
                .isEqualTo("running");
    }
}
