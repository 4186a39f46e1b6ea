package io.boxd.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names, connections and listeners as programs of the machine have them, through the real agent. */
@Tag("host")
class GuestNetworkHostTest {
    /** Somebody with no rights anywhere. */
    private static final String NOBODY = "nobody";

    @TempDir
    private Path folder;

    private TestingAgent agent;
    private AgentConnection connection;
    private GuestNetwork network;

    @BeforeEach
    void connect() throws IOException {
        agent = TestingAgent.start();
        connection = agent.connect();
        network = connection.network("");
    }

    @AfterEach
    void close() throws IOException {
        connection.close();
        agent.close();
    }

    private static Deadline soon() {
        return Deadline.inSeconds(20);
    }

    private static ErrorCode refusal(Runnable deed) {
        BoxdException[] caught = new BoxdException[1];
        assertThatThrownBy(deed::run).isInstanceOfSatisfying(BoxdException.class, e -> caught[0] = e);
        return caught[0].code();
    }

    @Test
    void findsNamesInTheMachinesOwnFile() throws IOException {
        assertThat(network.resolve("localhost", soon())).contains(InetAddress.ofLiteral("127.0.0.1"));
        String host = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        if (Files.readString(Path.of("/etc/hosts")).contains(host)) {
            assertThat(network.resolve(host, soon())).isNotEmpty();
        }
        assertThat(refusal(() -> network.resolve("a..b", Deadline.inSeconds(60))))
                .isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void connectsToHostsByNameAndAddress() throws Exception {
        for (String host : List.of("localhost", "127.0.0.1")) {
            try (ServerSocket server = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
                    GuestConnection dialed = network.connect(host, server.getLocalPort(), soon());
                    Socket accepted = server.accept()) {
                dialed.output().write("question".getBytes(UTF_8));
                dialed.output().close();
                assertThat(accepted.getInputStream().readAllBytes())
                        .asString(UTF_8)
                        .isEqualTo("question");
                accepted.getOutputStream().write("answer".getBytes(UTF_8));
                accepted.shutdownOutput();
                assertThat(dialed.input().readAllBytes()).asString(UTF_8).isEqualTo("answer");
            }
        }
    }

    @Test
    void goesOnToTheNextAddress() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.ofLiteral("::1"));
                GuestConnection dialed = network.connect("localhost", server.getLocalPort(), soon());
                Socket accepted = server.accept()) {
            dialed.output().write(7);
            assertThat(accepted.getInputStream().read()).isEqualTo(7);
        }
    }

    @Test
    void saysWhyThereIsNoConnection() throws IOException {
        int free;
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"))) {
            free = server.getLocalPort();
        }
        assertThat(refusal(() -> network.connect("localhost", free, soon()))).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(refusal(() -> network.connect("fe80::1%lo", 80, soon()))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(refusal(() -> network.connect("localhost", 0, soon()))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        GuestPath none = GuestPath.of(folder.resolve("none").toString());
        assertThat(refusal(() -> network.connect(none, soon()))).isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void asksForSocketsWithTheRightsOfTheUser() throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("sock"));
        GuestPath path = GuestPath.of(address.getPath().toString());
        try (ServerSocketChannel server =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address)) {
            try (GuestConnection dialed = network.connect(path, soon());
                    SocketChannel accepted = server.accept()) {
                dialed.output().write(7);
                ByteBuffer got = ByteBuffer.allocate(1);
                assertThat(accepted.read(got)).isOne();
                accepted.write(got.flip());
                assertThat(dialed.input().read()).isEqualTo(7);
            }
            GuestNetwork theirs = connection.network(NOBODY);
            assertThat(refusal(() -> theirs.connect(path, soon()))).isEqualTo(ErrorCode.PERMISSION_DENIED);
            assertThat(refusal(() -> theirs.listen(GuestPath.of("/etc/boxd-test-sock"), soon())))
                    .isEqualTo(ErrorCode.PERMISSION_DENIED);
        }
    }

    @Test
    void listensOnAPortThatTheMachineChooses() throws Exception {
        try (GuestListener listener = network.listen("localhost", 0, soon())) {
            assertThat(listener.port()).isPositive();
            assertThat(listener.accept(Deadline.in(Duration.ofMillis(50)))).isEmpty();
            for (int i = 0; i < 40; i++) {
                try (Socket client = client(listener.port());
                        GuestConnection taken = accept(listener, client.getLocalPort())) {
                    client.getOutputStream().write(i);
                    assertThat(taken.input().read()).isEqualTo(i);
                    taken.output().write(i + 1);
                    taken.output().close();
                    assertThat(client.getInputStream().read()).isEqualTo(i + 1);
                    assertThat(client.getInputStream().read()).isEqualTo(-1);
                }
            }
        }
    }

    private static Socket client(int port) throws IOException {
        Socket client = new Socket();
        client.setSoTimeout(20_000);
        client.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port), 20_000);
        return client;
    }

    private static GuestConnection accept(GuestListener listener, int from) {
        GuestListener.Arrival arrival = listener.accept(soon()).orElseThrow();
        assertThat(arrival.address()).isEqualTo(InetAddress.ofLiteral("127.0.0.1"));
        assertThat(arrival.port()).isEqualTo(from);
        return arrival.connection();
    }

    @Test
    void manyThatWaitAreAllTaken() throws Exception {
        List<Socket> clients = new ArrayList<>();
        try (GuestListener listener = network.listen("127.0.0.1", 0, soon())) {
            for (int i = 0; i < 40; i++) {
                clients.add(client(listener.port()));
            }
            for (Socket client : clients) {
                try (GuestConnection taken = accept(listener, client.getLocalPort())) {
                    client.getOutputStream().write(3);
                    assertThat(taken.input().read()).isEqualTo(3);
                }
            }
        } finally {
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    @Test
    void whatIsTakenIsToldSo() throws IOException {
        try (GuestListener listener = network.listen("", 0, soon())) {
            assertThat(refusal(() -> network.listen("127.0.0.1", listener.port(), soon())))
                    .isEqualTo(ErrorCode.ALREADY_EXISTS);
            assertThat(refusal(() -> network.listen("example.org", 0, soon()))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            client(listener.port()).close();
            listener.accept(soon()).orElseThrow().connection().close();
        }
        assertThat(refusal(() -> connection.network(NOBODY).listen("127.0.0.1", 1, soon())))
                .isIn(ErrorCode.PERMISSION_DENIED, ErrorCode.ALREADY_EXISTS);
    }

    @Test
    void aSecretSocketIsItsUsersAlone() throws Exception {
        Path socket;
        try (GuestListener listener = connection.network(NOBODY).listenSecretly("", soon())) {
            socket = Path.of(listener.path().toString());
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                    .isEqualTo("rw-------");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket.resolveSibling("."))))
                    .isEqualTo("rwx------");
            assertThat(Files.getOwner(socket).getName()).isEqualTo(NOBODY);
            try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(socket));
                    GuestConnection taken =
                            listener.accept(soon()).orElseThrow().connection()) {
                taken.output().write(9);
                ByteBuffer got = ByteBuffer.allocate(1);
                assertThat(client.read(got)).isOne();
            }
        }
        awaitGone(socket.resolveSibling("."));
        try (GuestListener again = connection.network(NOBODY).listenSecretly(socket.toString(), soon())) {
            assertThat(again.path().toString()).isEqualTo(socket.toString());
        }
        awaitGone(socket.resolveSibling("."));
        assertThat(refusal(() -> network.listenSecretly("/tmp/elsewhere/agent", soon())))
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    /** The helper that made it removes it: it has gone when a watch on it, or on what is above it, says so. */
    private void awaitGone(Path path) {
        try (FileWatch watch = connection.files("").watch(GuestPath.of("/tmp"), false, soon())) {
            while (Files.exists(path)) {
                watch.next(soon());
            }
        }
    }

    @Test
    void aNewSessionHasNoListenerOfTheOldOne() throws Exception {
        GuestListener listener = network.listen("127.0.0.1", 0, soon());
        GuestListener secret = network.listenSecretly("", soon());
        Path secretFolder = Path.of(secret.path().toString()).resolveSibling(".");
        try (Socket waiting = client(listener.port())) {
            connection.close();
            connection = agent.connect();
            assertThat(endsOf(waiting)).isTrue();
        }
        assertThatThrownBy(() -> client(listener.port())).isInstanceOf(IOException.class);
        awaitGone(secretFolder);
        assertThatThrownBy(() -> listener.accept(soon())).isInstanceOf(BoxdException.class);
    }

    /** Whoever was not taken yet is told by a reset, not by an end, where the listener goes first. */
    private static boolean endsOf(Socket waiting) throws IOException {
        try {
            return waiting.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true;
        }
    }

    /** Red control: without the rule of sessions the port would still lead to somebody else's client. */
    @Test
    void withoutTheRuleAListenerWouldOutliveItsSession() throws Exception {
        try (TestingAgent unprotected = TestingAgent.startUnprotected()) {
            AgentConnection first = unprotected.connect();
            int port = first.network("").listen("127.0.0.1", 0, soon()).port();
            first.close();
            try (AgentConnection second = unprotected.connect();
                    Socket client = client(port)) {
                assertThat(second.isOpen()).isTrue();
                assertThat(client.isConnected()).isTrue();
            }
        }
    }

    @Test
    void listenersAreBounded() {
        List<GuestListener> all = new ArrayList<>();
        try {
            assertThat(refusal(() -> {
                        for (int i = 0; i < 40; i++) {
                            all.add(network.listen("127.0.0.1", 0, soon()));
                        }
                    }))
                    .isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
            assertThat(all).hasSize(32);
            assertThat(connection.files("").stat(GuestPath.of("/"), soon()).type())
                    .isEqualTo(FileType.FOLDER);
        } finally {
            all.forEach(GuestListener::close);
        }
    }
}
