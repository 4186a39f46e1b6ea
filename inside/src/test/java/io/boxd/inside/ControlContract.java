package io.boxd.inside;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.boxd.accounts.TestingAccounts;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.control.BoxConnection;
import io.boxd.control.BoxEvents;
import io.boxd.control.BoxFiles;
import io.boxd.control.BoxListener;
import io.boxd.control.BoxProgram;
import io.boxd.control.BoxStream;
import io.boxd.control.Caller;
import io.boxd.control.ConsoleStream;
import io.boxd.control.Control;
import io.boxd.control.Credential;
import io.boxd.control.DialOrder;
import io.boxd.control.ExecutionStream;
import io.boxd.control.Following;
import io.boxd.control.Happening;
import io.boxd.control.ListenOrder;
import io.boxd.control.TestingControl;
import io.boxd.guest.ExitStatus;
import io.boxd.guest.OutputChannel;
import io.boxd.guest.ReadOptions;
import io.boxd.verbs.Verbs;
import io.boxd.worker.BoxEvent;
import io.boxd.worker.Status;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What every control promises doors, wherever it is; over boxes whose commands the real agent runs. */
abstract class ControlContract {
    final TestingControl house = new TestingControl();

    @TempDir
    Path folder;

    /** As a door has it. */
    abstract Control control();

    @BeforeEach
    void addBox() {
        house.boxes().add("a");
    }

    @AfterEach
    void closeHouse() {
        house.close();
    }

    static Caller stranger() {
        return Caller.stranger("http", "192.0.2.7", Optional.of("rq_42"));
    }

    Caller ada() {
        return control().identify(stranger(), new Credential.Token(TestingAccounts.ADMINISTRATORS_TOKEN));
    }

    ExecutionStream exec(String fields) {
        return control().exec(ada(), TestingControl.object("{'box':'a'," + fields + "}"));
    }

    JsonNode call(String verb, String fields) {
        return control().call(ada(), verb, TestingControl.object(fields));
    }

    static Deadline soon() {
        return Deadline.inSeconds(30);
    }

    /** Everything that it says, and how it ends. */
    record Said(ByteArrayOutputStream stdout, ByteArrayOutputStream stderr, Happening.Ended ended) {}

    static Said drain(BoxStream stream) {
        ByteArrayOutputStream stdout = new ByteArrayOutputStream();
        ByteArrayOutputStream stderr = new ByteArrayOutputStream();
        while (true) {
            switch (stream.next(soon())) {
                case Happening.Output(OutputChannel channel, var data) -> {
                    byte[] bytes = new byte[data.remaining()];
                    data.get(bytes);
                    (channel == OutputChannel.STDOUT ? stdout : stderr).writeBytes(bytes);
                }
                case Happening.Ended ended -> {
                    return new Said(stdout, stderr, ended);
                }
                case Happening.Skipped(long to) -> throw new AssertionError("skipped to " + to);
                case Happening.Nothing() -> throw new AssertionError("nothing came; until then: " + stdout);
            }
        }
    }

    static byte[] random(int count) {
        byte[] bytes = new byte[count];
        new Random(7).nextBytes(bytes);
        return bytes;
    }

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

    private static BoxdException failure(org.assertj.core.api.ThrowableAssert.ThrowingCallable deed) {
        return catchThrowableOfType(BoxdException.class, deed);
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

    void awaitNoHold() {
        Deadline deadline = soon();
        while (house.boxes().openHolds() > 0) {
            assertThat(deadline.passed()).as("nobody holds the box").isFalse();
            Thread.onSpinWait();
        }
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
    void aProgramsBytesPassThrough() throws Exception {
        byte[] sent = random(3_000_000);
        try (BoxProgram program =
                control().program(ada(), TestingControl.object("{'box':'a','script':'cat; echo bad >&2; exit 3'}"))) {
            CompletableFuture<Void> typing = CompletableFuture.runAsync(() -> type(program, sent));
            assertThat(Arrays.equals(program.output().readAllBytes(), sent)).isTrue();
            typing.get(30, TimeUnit.SECONDS);
            assertThat(new String(program.errors().readAllBytes(), UTF_8)).isEqualTo("bad\n");
            assertThat(program.await(soon())).isEqualTo(new ExitStatus.Exited(3));
        }
        awaitNoHold();
        try (BoxProgram program =
                control().program(ada(), TestingControl.object("{'box':'a','argv':['sleep','300']}"))) {
            assertThat(failure(() -> program.await(Deadline.inMillis(50))).code())
                    .isEqualTo(ErrorCode.TIMEOUT);
            program.signal("KILL");
            assertThat(program.await(soon())).isEqualTo(new ExitStatus.Killed(9, false));
        }
        assertThat(failure(() -> control().program(ada(), TestingControl.object("{'box':'a','files':true,'tty':true}")))
                        .code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    private static void type(BoxProgram program, byte[] bytes) {
        try (OutputStream input = program.input()) {
            input.write(bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Out of a box and into it, each direction by itself. */
    @Test
    void connectionsPassThrough() throws Exception {
        ListenOrder order = new ListenOrder("a", new ListenOrder.Place.Port("localhost", 0), Optional.empty());
        try (BoxListener listener = control().listen(ada(), order)) {
            assertThat(listener.accept(Deadline.inMillis(50))).isEmpty();
            DialOrder there = new DialOrder(
                    "a",
                    new DialOrder.Target.Port("localhost", listener.port()),
                    Duration.ofSeconds(20),
                    Optional.empty());
            byte[] sent = random(1_000_000);
            try (BoxConnection out = control().dial(ada(), there);
                    BoxConnection in = listener.accept(soon()).orElseThrow().connection()) {
                CompletableFuture<byte[]> got = CompletableFuture.supplyAsync(() -> readAll(in));
                out.output().write(sent);
                out.output().close();
                assertThat(Arrays.equals(got.get(30, TimeUnit.SECONDS), sent)).isTrue();
                in.output().write("answer".getBytes(UTF_8));
                in.output().close();
                assertThat(new String(readAll(out), UTF_8)).isEqualTo("answer");
            }
        }
        awaitNoHold();
    }

    private static byte[] readAll(BoxConnection connection) {
        try {
            return connection.input().readAllBytes();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    BoxFiles.Place place(String name) {
        return new BoxFiles.Place("a", folder.resolve(name).toString(), Optional.empty());
    }

    private static BoxFiles.Writing plainly() {
        return new BoxFiles.Writing(Optional.of("0640"), Optional.empty());
    }

    @Test
    void filesGoInAndOut() throws IOException {
        BoxFiles files = control().files(ada());
        byte[] content = random(2_000_000);
        JsonNode written = files.write(place("in/file"), plainly(), new ByteArrayInputStream(content));
        assertThat(written.path("bytes").asLong()).isEqualTo(content.length);
        assertThat(Files.readAllBytes(folder.resolve("in/file"))).isEqualTo(content);
        assertThat(files.stat(place("in/file")))
                .hasToString(house.control().files(ada()).stat(place("in/file")).toString());
        try (BoxFiles.FileContent part =
                files.read(place("in/file"), ReadOptions.all().withRange(1000, 70_000))) {
            assertThat(part.attributes().size()).isEqualTo(content.length);
            assertThat(part.attributes().mode()).isEqualTo(0640);
            assertThat(part.content().readAllBytes()).isEqualTo(Arrays.copyOfRange(content, 1000, 71_000));
        }
        byte[] archive;
        try (BoxFiles.Download packed = files.pack(place("in"))) {
            archive = packed.content().readAllBytes();
        }
        Files.createDirectory(folder.resolve("out"));
        assertThat(files.unpack(place("out"), new ByteArrayInputStream(archive))
                        .path("bytes")
                        .asLong())
                .isEqualTo(content.length);
        assertThat(failure(() -> files.stat(place("none"))).code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(failure(() -> files.read(place("none"), ReadOptions.all())).code())
                .isEqualTo(ErrorCode.NOT_FOUND);
        awaitNoHold();
    }

    /** Content that breaks off, as when a client leaves. */
    private static final class BreakingInput extends InputStream {
        private int left;

        BreakingInput(int left) {
            this.left = left;
        }

        @Override
        public int read() throws IOException {
            return read(new byte[1], 0, 1);
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (left == 0) {
                throw new IOException("the client has left");
            }
            int count = Math.min(left, length);
            left -= count;
            return count;
        }
    }

    @Test
    void aFileIsWrittenWholeOrNotAtAll() throws IOException {
        BoxFiles files = control().files(ada());
        InputStream broken = new BreakingInput(500_000);
        assertThat(failure(() -> files.write(place("file"), plainly(), broken)).code())
                .isEqualTo(ErrorCode.UNAVAILABLE);
        BoxFiles.Writing wrong = new BoxFiles.Writing(Optional.empty(), Optional.of("00".repeat(32)));
        assertThatThrownBy(() -> files.write(place("file"), wrong, new ByteArrayInputStream(random(1_000_000))))
                .isInstanceOf(BoxdException.class);
        awaitNoHold();
        assertThat(folder.resolve("file")).doesNotExist();
    }

    @Test
    void whoBreaksOffADownloadHoldsNothing() throws IOException {
        Files.write(folder.resolve("large"), random(8_000_000));
        try (BoxFiles.FileContent content = control().files(ada()).read(place("large"), ReadOptions.all())) {
            assertThat(content.content().readNBytes(10)).hasSize(10);
        }
        awaitNoHold();
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
