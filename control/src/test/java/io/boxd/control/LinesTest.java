package io.boxd.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.accounts.AccountCommand;
import io.boxd.accounts.Scopes;
import io.boxd.accounts.Secrets;
import io.boxd.accounts.TokenRow;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.ExitStatus;
import io.boxd.worker.Move;
import io.boxd.worker.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** Programs, connections and listeners through control, in boxes that sleep and for people who lose their rights. */
@Tag("host")
class LinesTest {
    private static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");

    private final TestingControl house = new TestingControl();

    @BeforeEach
    void open() {
        house.boxes().add("a");
    }

    @AfterEach
    void close() {
        house.close();
    }

    private static Deadline soon() {
        return Deadline.inSeconds(20);
    }

    private BoxProgram program(String fields) {
        return house.control().program(TestingControl.CALLER, said(fields));
    }

    private static ObjectNode said(String fields) {
        return TestingControl.object("{'box':'a'," + fields + "}");
    }

    private BoxConnection dial(Caller caller, int port) {
        return house.control()
                .dial(
                        caller,
                        new DialOrder(
                                "a",
                                new DialOrder.Target.Port("localhost", port),
                                Duration.ofSeconds(20),
                                Optional.empty()));
    }

    private BoxListener listen(Caller caller, ListenOrder.Place place) {
        return house.control().listen(caller, new ListenOrder("a", place, Optional.empty()));
    }

    private static ListenOrder.Place anyPort() {
        return new ListenOrder.Place.Port("localhost", 0);
    }

    private static Socket client(int port) throws IOException {
        Socket client = new Socket();
        client.setSoTimeout(20_000);
        client.connect(new InetSocketAddress(HERE, port), 20_000);
        return client;
    }

    @Test
    void aProgramHoldsItsBoxUntilItIsClosed() throws IOException {
        try (BoxProgram program = program("'script':'cat; echo bad >&2; exit 3'")) {
            assertThat(house.boxes().openHolds()).isOne();
            program.input().write("through".getBytes(UTF_8));
            program.input().close();
            assertThat(program.output().readAllBytes()).asString(UTF_8).isEqualTo("through");
            assertThat(program.errors().readAllBytes()).asString(UTF_8).isEqualTo("bad\n");
            assertThat(program.await(soon())).isEqualTo(new ExitStatus.Exited(3));
            assertThat(house.boxes().openHolds()).isOne();
        }
        assertThat(house.boxes().openHolds()).isZero();
        assertThat(house.boxes().commandsBegun()).isZero();
        assertThat(house.say("ps", "{'box':'a'}").toString()).doesNotContain("cat");
    }

    @Test
    void oneThatServesFilesLetsItsBoxRestAndWakesIt() throws Exception {
        try (BoxProgram files = program("'files':true")) {
            CompletableFuture<byte[]> greeting = CompletableFuture.supplyAsync(() -> read(files, 9));
            house.boxes().awaitRest(soon());
            house.boxes().move("a", Move.PAUSE, soon());
            files.input().write(new byte[] {0, 0, 0, 5, 1, 0, 0, 0, 3});
            assertThat(house.boxes().find("a").status()).isEqualTo(Status.RUNNING);
            assertThat(greeting.get(20, TimeUnit.SECONDS)[4]).isEqualTo((byte) 2);
        }
    }

    private static byte[] read(BoxProgram program, int count) {
        try {
            return program.output().readNBytes(count);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whatHasNoMeaningIsRefused() {
        for (String fields : new String[] {
            "'script':'true','tty':true",
            "'script':'true','checkpoint':true",
            "'files':true,'script':'true'",
            "'cwd':'/'"
        }) {
            assertThatThrownBy(() -> program(fields))
                    .isInstanceOfSatisfying(
                            BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        }
        assertThatThrownBy(() -> house.say("exec", "{'box':'a','files':true}")).isInstanceOf(BoxdException.class);
        assertThat(house.boxes().openHolds()).isZero();
    }

    @Test
    void connectionsGoBothWaysAndTheBoxRestsMeanwhile() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, HERE);
                BoxConnection dialed = dial(TestingControl.CALLER, server.getLocalPort());
                Socket accepted = server.accept()) {
            dialed.output().write(1);
            assertThat(accepted.getInputStream().read()).isOne();
            accepted.getOutputStream().write(2);
            assertThat(dialed.input().read()).isEqualTo(2);
            CompletableFuture<Integer> reading = CompletableFuture.supplyAsync(() -> one(dialed));
            house.boxes().awaitRest(soon());
            house.boxes().move("a", Move.PAUSE, soon());
            dialed.output().write(3);
            assertThat(accepted.getInputStream().read()).isEqualTo(3);
            dialed.output().close();
            assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            accepted.getOutputStream().write(4);
            assertThat(reading.get(20, TimeUnit.SECONDS)).isEqualTo(4);
        }
        assertThat(house.boxes().openHolds()).isZero();
    }

    private static int one(BoxConnection connection) {
        try {
            return connection.input().read();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aListenerIsThereAgainAfterADeepSleep() throws IOException {
        try (BoxListener listener = listen(TestingControl.CALLER, anyPort());
                BoxListener secret = listen(TestingControl.CALLER, new ListenOrder.Place.Secret())) {
            int port = listener.port();
            try (Socket client = client(port);
                    BoxConnection came = listener.accept(soon()).orElseThrow().connection()) {
                client.getOutputStream().write(5);
                assertThat(came.input().read()).isEqualTo(5);
            }
            house.boxes().move("a", Move.HIBERNATE, soon());
            assertThat(listener.accept(Deadline.in(Duration.ofMillis(700)))).isEmpty();
            house.boxes().move("a", Move.WAKE, soon());
            assertThat(listener.accept(Deadline.in(Duration.ofSeconds(2)))).isEmpty();
            assertThat(secret.accept(Deadline.in(Duration.ofSeconds(2)))).isEmpty();
            assertThat(Path.of(secret.path())).exists();
            try (Socket client = client(port);
                    BoxConnection came = listener.accept(soon()).orElseThrow().connection()) {
                came.output().write(6);
                assertThat(client.getInputStream().read()).isEqualTo(6);
            }
        }
    }

    @Test
    void aListenerOfABoxThatStopsEnds() {
        try (BoxListener listener = listen(TestingControl.CALLER, anyPort())) {
            house.boxes().move("a", Move.STOP, soon());
            assertThatThrownBy(() -> listener.accept(soon())).isInstanceOf(BoxdException.class);
        }
        assertThat(house.boxes().openHolds()).isZero();
    }

    @Test
    void whoLosesTheRightLosesEverything() throws Exception {
        String secret = "secret";
        house.accounts()
                .apply(new AccountCommand.AddToken(new TokenRow(
                        "tok_1",
                        "usr_ada",
                        Secrets.hash(secret),
                        "",
                        Scopes.all(),
                        Optional.empty(),
                        Instant.now(),
                        Optional.empty())));
        Caller bearer = house.bearer(secret);
        try (ServerSocket server = new ServerSocket(0, 50, HERE);
                BoxProgram program = house.control().program(bearer, said("'argv':['cat']"));
                BoxConnection dialed = dial(bearer, server.getLocalPort());
                BoxListener listener = listen(bearer, anyPort());
                Socket client = client(listener.port());
                BoxConnection came = listener.accept(soon()).orElseThrow().connection();
                Socket accepted = server.accept()) {
            accepted.setSoTimeout(20_000);
            house.say("token revoke", "{'token':'tok_1'}");
            assertThatThrownBy(() -> program.await(soon())).isInstanceOf(BoxdException.class);
            assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            assertThatThrownBy(() -> listener.accept(soon())).isInstanceOf(BoxdException.class);
            assertThatThrownBy(() -> came.output().write(1)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> dialed.output().write(1)).isInstanceOf(IOException.class);
        }
        assertThat(house.boxes().openHolds()).isZero();
    }

    @Test
    void othersMayNothing() {
        Caller bob = Caller.of(house.who("bob"), "test", "127.0.0.1", Optional.empty());
        for (Runnable deed : new Runnable[] {
            () -> house.control().program(bob, said("'argv':['cat']")),
            () -> dial(bob, 80),
            () -> listen(bob, anyPort())
        }) {
            assertThatThrownBy(deed::run)
                    .isInstanceOfSatisfying(
                            BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
        }
    }

    @Test
    void everythingIsInTheAudit() throws IOException {
        program("'argv':['true']").close();
        try (ServerSocket server = new ServerSocket(0, 50, HERE)) {
            dial(TestingControl.CALLER, server.getLocalPort()).close();
        }
        listen(TestingControl.CALLER, anyPort()).close();
        String audit = house.say("audit", "{}").toString();
        assertThat(audit).contains("\"exec\"", "\"dial\"", "\"listen\"");
        assertThat(Files.exists(house.home())).isTrue();
    }
}
