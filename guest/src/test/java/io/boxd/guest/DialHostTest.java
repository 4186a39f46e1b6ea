package io.boxd.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections, listening ports and figures, through the real agent. */
@Tag("host")
class DialHostTest {
    private static final long MUCH = 100L << 20;
    private static final Duration STALL = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private TestingAgent agent;
    private AgentConnection connection;

    @BeforeEach
    void connect() throws IOException {
        agent = TestingAgent.start();
        connection = agent.connect();
    }

    @AfterEach
    void close() throws IOException {
        connection.close();
        agent.close();
        threads.close();
    }

    private static Deadline soon() {
        return Deadline.inSeconds(20);
    }

    private static ServerSocket listen(String address) throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.ofLiteral(address));
        server.setSoTimeout(20_000);
        return server;
    }

    private GuestConnection dial(ServerSocket server) {
        boolean versionSix = server.getInetAddress().getAddress().length == 16;
        return connection.dial(new DialTarget.Tcp(server.getLocalPort(), versionSix), STALL, soon());
    }

    @Test
    void eachDirectionEndsByItself() throws Exception {
        for (String address : List.of("127.0.0.1", "::1")) {
            try (ServerSocket server = listen(address);
                    GuestConnection dialed = dial(server);
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
    void theOtherEndMayEndFirst() throws Exception {
        try (ServerSocket server = listen("127.0.0.1");
                GuestConnection dialed = dial(server);
                Socket accepted = server.accept()) {
            accepted.getOutputStream().write("hello".getBytes(UTF_8));
            accepted.shutdownOutput();
            assertThat(dialed.input().readAllBytes()).asString(UTF_8).isEqualTo("hello");
            dialed.output().write("still here".getBytes(UTF_8));
            assertThat(accepted.getInputStream().readNBytes(10)).asString(UTF_8).isEqualTo("still here");
            dialed.output().close();
            assertThat(accepted.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void carriesMuchInBothDirectionsAtOnce() throws Exception {
        try (ServerSocket server = listen("127.0.0.1");
                GuestConnection dialed = dial(server);
                Socket accepted = server.accept()) {
            List<CompletableFuture<?>> all = new ArrayList<>();
            all.add(CompletableFuture.runAsync(() -> send(dialed.output(), 1), threads));
            all.add(CompletableFuture.runAsync(() -> check(stream(accepted), 1), threads));
            all.add(CompletableFuture.runAsync(() -> send(outStream(accepted), 2), threads));
            all.add(CompletableFuture.runAsync(() -> check(dialed.input(), 2), threads));
            CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0])).get(120, TimeUnit.SECONDS);
        }
    }

    private static InputStream stream(Socket socket) {
        try {
            return socket.getInputStream();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static OutputStream outStream(Socket socket) {
        try {
            return socket.getOutputStream();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void send(OutputStream out, long seed) {
        byte[] chunk = new byte[1 << 16];
        Random random = new Random(seed);
        try {
            for (long done = 0; done < MUCH; done += chunk.length) {
                random.nextBytes(chunk);
                out.write(chunk);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void check(InputStream in, long seed) {
        byte[] chunk = new byte[1 << 16];
        Random random = new Random(seed);
        try {
            for (long done = 0; done < MUCH; done += chunk.length) {
                random.nextBytes(chunk);
                assertThat(Arrays.equals(in.readNBytes(chunk.length), chunk)).isTrue();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void dialsUnixSockets() throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("sock"));
        try (ServerSocketChannel server =
                        ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
                GuestConnection dialed = connection.dial(
                        new DialTarget.Unix(GuestPath.of(address.getPath().toString())), STALL, soon());
                SocketChannel accepted = server.accept()) {
            dialed.output().write(7);
            ByteBuffer got = ByteBuffer.allocate(1);
            assertThat(accepted.read(got)).isOne();
            accepted.write(got.flip());
            assertThat(dialed.input().read()).isEqualTo(7);
        }
    }

    @Test
    void saysWhyThereIsNoConnection() throws Exception {
        int free;
        try (ServerSocket server = listen("127.0.0.1")) {
            free = server.getLocalPort();
        }
        assertThatThrownBy(() -> connection.dial(DialTarget.port(free), STALL, soon()))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("nothing listens on port " + free);
        GuestPath none = GuestPath.of(folder.resolve("none").toString());
        assertThatThrownBy(() -> connection.dial(new DialTarget.Unix(none), STALL, soon()))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
    }

    @Test
    void aCutConnectionIsAnErrorAndNoEnd() throws Exception {
        try (ServerSocket server = listen("127.0.0.1");
                GuestConnection dialed = dial(server)) {
            Socket accepted = server.accept();
            dialed.output().write(1);
            assertThat(accepted.getInputStream().read()).isOne();
            accepted.setSoLinger(true, 0);
            accepted.close();
            assertThatThrownBy(() -> dialed.input().read()).hasMessageContaining("has cut the connection");
        }
    }

    @Test
    void closingCutsTheOtherEndOff() throws Exception {
        try (ServerSocket server = listen("127.0.0.1")) {
            GuestConnection dialed = dial(server);
            try (Socket accepted = server.accept()) {
                accepted.setSoTimeout(20_000);
                dialed.close();
                assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    @Test
    void oneThatNobodyReadsHoldsUpNoOther() throws Exception {
        try (ServerSocket server = listen("127.0.0.1")) {
            GuestConnection stuck = dial(server);
            try (Socket flooding = server.accept();
                    GuestConnection quick = dial(server);
                    Socket other = server.accept()) {
                CompletableFuture<Void> flood = CompletableFuture.runAsync(() -> send(outStream(flooding), 3), threads)
                        .exceptionally(e -> null);
                for (int i = 0; i < 50; i++) {
                    quick.output().write(i);
                    assertThat(other.getInputStream().read()).isEqualTo(i);
                    other.getOutputStream().write(i);
                    assertThat(quick.input().read()).isEqualTo(i);
                }
                assertThat(flood).isNotDone();
                stuck.close();
                flood.get(20, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void listsAndWatchesPorts() throws Exception {
        try (PortWatch watch = connection.ports().watch(soon())) {
            int port;
            try (ServerSocket server = listen("127.0.0.1")) {
                port = server.getLocalPort();
                PortListener opened = await(watch, PortEvent.Kind.OPENED, port);
                assertThat(opened.loopback()).isTrue();
                assertThat(opened.pid()).isEqualTo(ProcessHandle.current().pid());
                assertThat(opened.process()).isNotBlank();
                assertThat(connection.ports().list(soon())).contains(opened);
            }
            await(watch, PortEvent.Kind.CLOSED, port);
            assertThat(connection.ports().list(soon()))
                    .extracting(PortListener::port)
                    .doesNotContain(port);
        }
    }

    @Test
    void tellsFirstWhatIsThere() throws Exception {
        try (ServerSocket server = listen("::1");
                PortWatch watch = connection.ports().watch(soon())) {
            assertThat(await(watch, PortEvent.Kind.PRESENT, server.getLocalPort())
                            .address())
                    .isEqualTo(server.getInetAddress());
        }
    }

    private static PortListener await(PortWatch watch, PortEvent.Kind kind, int port) {
        Deadline deadline = soon();
        while (true) {
            Optional<PortEvent> event = watch.next(deadline);
            assertThat(event).as(kind + " of port " + port).isPresent();
            if (event.get().kind() == kind && event.get().listener().port() == port) {
                return event.get().listener();
            }
        }
    }

    @Test
    void countsWhatTheMachineDoes() {
        MachineMetrics metrics = connection.metrics(soon());
        assertThat(metrics.processor().count()).isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(metrics.processor().user()).isPositive();
        assertThat(metrics.processor().idle()).isPositive();
        assertThat(metrics.uptime()).isPositive();
        assertThat(metrics.processes()).isBetween(2L, 100_000L);
        assertThat(metrics.memory().available()).isBetween(1L, metrics.memory().total());
        assertThat(metrics.disks()).extracting(MachineMetrics.Disk::mountedOn).startsWith("/");
        assertThat(metrics.disks().getFirst().room().blocks()).isPositive();
        assertThat(connection.metrics(soon()).uptime()).isGreaterThanOrEqualTo(metrics.uptime());
    }
}
