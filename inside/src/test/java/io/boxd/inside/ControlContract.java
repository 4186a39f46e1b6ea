package io.boxd.inside;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.accounts.TestingAccounts;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.control.BoxEvents;
import io.boxd.control.BoxStream;
import io.boxd.control.Caller;
import io.boxd.control.ConsoleStream;
import io.boxd.control.Credential;
import io.boxd.control.ExecutionStream;
import io.boxd.control.Following;
import io.boxd.control.Happening;
import io.boxd.control.TestingControl;
import io.boxd.guest.ExitStatus;
import io.boxd.verbs.Verbs;
import io.boxd.worker.BoxEvent;
import io.boxd.worker.Status;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What every control promises doors, wherever it is: calls and streams. */
@Tag("host")
abstract class ControlContract extends ContentContract {
    @Test
    void whoShowsATokenIsKnown() {
        assertThat(ada().who().orElseThrow())
                .isEqualTo(house.bearer(TestingAccounts.ADMINISTRATORS_TOKEN).principal());
        JsonNode scoped = call("token create", "{'verbs':'list','labels':{'job':'ci'}}");
        String secret = scoped.path("token").asString();
        assertThat(control().identify(stranger(), new Credential.Token(secret)).principal())
                .isEqualTo(house.bearer(secret).principal());
        assertThatThrownBy(() -> control().identify(stranger(), new Credential.Token("nobody's")))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED));
    }

    @Test
    void verbsAreAnswered() {
        assertThat(call("new", "{'name':'b','labels':{'job':'ci'}}")
                        .path("name")
                        .asString())
                .isEqualTo("b");
        assertThat(call("list", "{}")).hasToString(house.say("list", "{}").toString());
        assertThat(control().census()).isEqualTo(house.control().census()).containsEntry("running", 2L);
        assertThat(control().ways()).hasToString(house.control().ways().toString());
        control().requireBox(ada(), Verbs.named("exec").orElseThrow(), "b");
    }

    @Test
    void aRequestUnderAKeyIsDoneOnce() {
        Optional<String> key = Optional.of("once-and-no-more");
        JsonNode first = control().call(ada(), "new", TestingControl.object("{'name':'b'}"), key);
        assertThat(house.say("list", "{}")).hasSize(2);
        assertThat(first.path("name").asString()).isEqualTo("b");
        assertThatThrownBy(() -> control().call(ada(), "list", TestingControl.object("{}"), key))
                .hasMessageContaining("makes nothing");
    }

    @Test
    void failuresKeepTheirCodeTheirWordsAndTheirHint() {
        for (String said : new String[] {"{'box':'none'}", "{'nonsense':1}", "{}"}) {
            BoxdException here = failure(() -> house.say("info", said));
            BoxdException there = failure(() -> call("info", said));
            assertThat(there.code()).isEqualTo(here.code());
            assertThat(there.getMessage()).isEqualTo(here.getMessage());
            assertThat(there.hint()).isEqualTo(here.hint());
        }
        house.failWith(ErrorCode.RESOURCE_EXHAUSTED);
        assertThat(failure(() -> call("list", "{}")).code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        house.failWith(null);
        assertThat(failure(() -> control().requireBox(ada(), Verbs.named("exec").orElseThrow(), "none"))
                        .code())
                .isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void muchGoesInAndComesOutWhole() throws Exception {
        byte[] sent = random(3_000_000);
        try (ExecutionStream stream = exec("'stdin':true,'argv':['cat']")) {
            assertThat(stream.takesInput()).isTrue();
            CompletableFuture<Void> typing = CompletableFuture.runAsync(() -> type(stream, sent));
            Said said = drain(stream);
            typing.get(30, TimeUnit.SECONDS);
            assertThat(Arrays.equals(said.stdout().toByteArray(), sent)).isTrue();
            assertThat(said.ended().status()).isEqualTo(Optional.of(new ExitStatus.Exited(0)));
            assertThat(said.ended().duration()).isPresent();
        }
    }

    private static void type(ExecutionStream stream, byte[] bytes) {
        try {
            stream.write(bytes, 0, bytes.length);
            stream.endInput();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aCommandEndsAsItEnds() {
        try (ExecutionStream stream = exec("'script':'echo out; echo err >&2; exit 3'")) {
            Said said = drain(stream);
            assertThat(said.stdout().toString(UTF_8)).isEqualTo("out\n");
            assertThat(said.stderr().toString(UTF_8)).isEqualTo("err\n");
            assertThat(said.ended().exitCode()).isEqualTo(Optional.of(3));
            try (BoxStream again = control()
                    .logs(
                            ada(),
                            TestingControl.object("{'box':'a','exec_id':'" + stream.execution() + "','offset':4}"))) {
                assertThat(((ExecutionStream) again).firstOffset()).isEqualTo(4);
                assertThat(drain(again).stderr().toString(UTF_8)).isEqualTo("err\n");
            }
        }
        assertThat(failure(() -> exec("'script':'true','nonsense':1")).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    /** What a client does wrong ends nobody else's conversation. */
    @Test
    void nothingIsTypedBehindTheEnd() throws IOException {
        try (ExecutionStream stream = exec("'stdin':true,'argv':['cat']");
                ExecutionStream other = exec("'stdin':true,'argv':['cat']")) {
            stream.endInput();
            stream.endInput();
            assertThatThrownBy(() -> stream.write(new byte[] {1}, 0, 1))
                    .isInstanceOfAny(IOException.class, BoxdException.class);
            assertThat(drain(stream).ended().exitCode()).isEqualTo(Optional.of(0));
            other.endInput();
            assertThat(drain(other).ended().exitCode()).isEqualTo(Optional.of(0));
        }
    }

    @Test
    void aLongAnswerIsWhole() {
        JsonNode answer = call("exec", "{'box':'a','script':'head -c 3000000 /dev/zero'}");
        assertThat(answer.path("stdout").asString()).hasSize(3_000_000);
    }

    @Test
    void streamsAreSteered() throws IOException {
        try (ExecutionStream stream = exec("'tty':true,'stdin':true,'script':'read x; stty size; sleep 300'")) {
            assertThat(stream.isTerminal()).isTrue();
            stream.resize(11, 22);
            byte[] go = "go\n".getBytes(UTF_8);
            stream.write(go, 0, go.length);
            StringBuilder text = new StringBuilder();
            while (text.indexOf("11 22") < 0) {
                if (stream.next(soon()) instanceof Happening.Output(var _, var data)) {
                    text.append(UTF_8.decode(data));
                }
            }
            assertThat(failure(() -> stream.signal("NONSENSE")).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            stream.signal("KILL");
            assertThat(drain(stream).ended().status()).isEqualTo(Optional.of(new ExitStatus.Killed(9, false)));
        }
    }

    /** Several take part; what is not typed to its end waits, and whoever has left holds nothing. */
    @Test
    void whoLeavesLetsGoOfTheBox() throws Exception {
        try (ExecutionStream one = exec("'stdin':true,'argv':['sleep','300']")) {
            ExecutionStream other =
                    control().attach(ada(), TestingControl.object("{'box':'a','exec_id':'" + one.execution() + "'}"));
            assertThat(other.execution()).isEqualTo(one.execution());
            assertThat(other.next(Deadline.inMillis(100))).isEqualTo(new Happening.Nothing());
            CompletableFuture<BoxdException> reader = CompletableFuture.supplyAsync(() -> failure(() -> drain(other)));
            other.close();
            other.close();
            assertThat(reader.get(20, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        }
        awaitNoHold();
        assertThat(house.say("ps", "{'box':'a'}").get(0).path("status").asString())
                .isEqualTo("running");
    }

    @Test
    void theConsoleIsHeard() {
        house.boxes().setConsole("booting\n");
        try (BoxStream console = control().logs(ada(), TestingControl.object("{'box':'a','console':true}"))) {
            assertThat(console).isInstanceOf(ConsoleStream.class);
            assertThat(drain(console).stdout().toString(UTF_8)).isEqualTo("booting\n");
        }
    }

    /** A command does not run ahead of a reader who takes nothing, and loses nothing. */
    @Test
    void aSlowReaderMissesNothing() {
        try (ExecutionStream stream = exec("'script':'head -c 20000000 /dev/zero'")) {
            Happening first = stream.next(soon());
            assertThat(first).isInstanceOf(Happening.Output.class);
            call("list", "{}"); // what others ask does not wait for this stream
            int count = ((Happening.Output) first).data().remaining();
            assertThat(count + drain(stream).stdout().size()).isEqualTo(20_000_000);
        }
    }

    @Test
    void whatHappensIsTold() throws Exception {
        BoxEvents witness = new BoxEvents(house.chronicle().feed());
        try (Following following = control().follow(ada(), "events", TestingControl.object("{}"))) {
            witness.saw(new BoxEvent(
                    BoxEvent.Kind.CREATED,
                    "bx_one",
                    "one",
                    Optional.empty(),
                    Instant.now(),
                    Optional.of(Status.STARTING),
                    "because",
                    Map.of()));
            Following.Told told = following.next(soon()).orElseThrow();
            assertThat(told.kind()).isEqualTo("event");
            assertThat(told.json().path("cause").asString()).isEqualTo("because");
            assertThat(following.position()).isEqualTo(told.id());
            assertThat(following.next(Deadline.inMillis(50))).isEmpty();
        }
        Following left = control().follow(ada(), "events", TestingControl.object("{}"));
        CompletableFuture<BoxdException> reader = CompletableFuture.supplyAsync(() -> failure(() -> left.next(soon())));
        left.close();
        assertThat(reader.get(20, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThatThrownBy(() -> control().follow(ada(), "list", TestingControl.object("{}")))
                .hasMessageContaining("list has no parameter");
    }

    /** Rights are looked at where control is: what a door remembers of somebody counts for nothing. */
    @Test
    void aRevokedTokenEndsWhatItBegan() {
        JsonNode token = call("token create", "{}");
        Caller bearer = control()
                .identify(stranger(), new Credential.Token(token.path("token").asString()));
        try (ExecutionStream theirs =
                control().exec(bearer, TestingControl.object("{'box':'a','argv':['sleep','300']}"))) {
            call("token revoke", "{'token':'" + token.path("id").asString() + "'}");
            assertThat(failure(() -> drain(theirs)).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        }
    }

    @Test
    void whoIsTurnedAwayIsWrittenDown() {
        control().refused(stranger(), "GET /v1/boxes", new BoxdException(ErrorCode.UNAUTHENTICATED, "no token"));
        control().refusedOften();
        assertThat(failure(() -> control().enter(stranger(), "no-invitation", "eve", Optional.empty()))
                        .code())
                .isEqualTo(failure(() -> house.control().enter(stranger(), "no-invitation", "eve", Optional.empty()))
                        .code());
        Deadline deadline = soon();
        while (!call("audit", "{}").toString().contains("GET /v1/boxes")) {
            assertThat(deadline.passed()).as("the refusal is in the audit").isFalse();
        }
    }
}
