package io.boxd.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that say they are busy: {@code boxd busy} against the real agent. */
@Tag("host")
class LeaseHostTest {
    private final LinkedBlockingQueue<List<BusyLease>> news = new LinkedBlockingQueue<>();
    private TestingAgent agent;
    private AgentConnection connection;

    @BeforeEach
    void connect() throws IOException {
        agent = TestingAgent.start();
        connection = agent.connect();
        connection.onLeasesChanged(news::add);
    }

    @AfterEach
    void close() throws IOException {
        connection.close();
        agent.close();
    }

    private static Deadline soon() {
        return Deadline.inSeconds(30);
    }

    private ExecRequest busy(String... words) {
        List<String> command = new ArrayList<>(List.of(TestingAgent.binary().toString(), "busy"));
        command.addAll(List.of(words));
        return ExecRequest.argv(command)
                .withEnvironment("BOXD_BUSY_SOCKET", agent.busySocket().toString());
    }

    private CommandOutput run(String... words) {
        return connection.run(busy(words), soon());
    }

    private List<String> names() {
        return connection.leases(soon()).stream().map(BusyLease::name).toList();
    }

    /** Waits until the host was told so. */
    private List<BusyLease> awaitNews(Predicate<List<BusyLease>> wanted) throws InterruptedException {
        while (true) {
            List<BusyLease> latest = news.poll(20, TimeUnit.SECONDS);
            assertThat(latest).as("news of leases").isNotNull();
            if (wanted.test(latest)) {
                return latest;
            }
        }
    }

    @Test
    void aLeaseIsSetRenewedListedAndCleared() throws Exception {
        assertThat(connection.leases(soon())).isEmpty();
        assertThat(run("--for", "10m", "--name", "build").status().succeeded()).isTrue();
        BusyLease lease = connection.leases(soon()).getFirst();
        assertThat(lease.name()).isEqualTo("build");
        assertThat(lease.user()).isZero();
        assertThat(lease.held()).isFalse();
        assertThat(lease.left()).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
        awaitNews(leases -> leases.size() == 1);
        run("--for", "90d", "--name", "build");
        assertThat(awaitNews(leases -> leases.size() == 1).getFirst().left())
                .isBetween(Duration.ofHours(23), Duration.ofHours(24));
        run();
        assertThat(names()).containsExactly("build", "busy");
        assertThat(run("--list").stdoutText().lines())
                .hasSize(2)
                .allMatch(line -> line.matches("(build|busy)\tuser 0\tprocess [0-9]+\t[0-9]+ s left"));
        run("--clear", "--name", "build");
        assertThat(names()).containsExactly("busy");
        run("--clear");
        awaitNews(List::isEmpty);
        assertThat(names()).isEmpty();
    }

    @Test
    void aLeaseEndsByItself() throws Exception {
        run("--for", "1s");
        assertThat(awaitNews(leases -> leases.size() == 1)).hasSize(1);
        awaitNews(List::isEmpty);
        assertThat(names()).isEmpty();
    }

    @Test
    void aLeaseLastsAsLongAsItsCommand() throws Exception {
        try (Execution held =
                connection.start(busy("--", "sh", "-c", "read x; exit 3").withStdin(true), soon())) {
            BusyLease lease = awaitNews(leases -> leases.size() == 1).getFirst();
            assertThat(lease.name()).isEqualTo("sh");
            assertThat(lease.held()).isTrue();
            run("--clear");
            assertThat(names()).containsExactly("sh");
            held.stdin().write('\n');
            assertThat(held.await(soon())).isEqualTo(new ExitStatus.Exited(3));
            awaitNews(List::isEmpty);
        }
        try (Execution held = connection.start(busy("--name", "gone", "--", "sleep", "1000"), soon())) {
            awaitNews(leases -> leases.size() == 1);
            // However its holder ends.
            held.signal(9);
            awaitNews(List::isEmpty);
        }
    }

    @Test
    void wrongWordsAndAMissingAgentAreSaid() {
        assertThat(run("--for", "soon").status()).isEqualTo(new ExitStatus.Exited(2));
        assertThat(run("--", "no-such-program").status()).isEqualTo(new ExitStatus.Exited(127));
        CommandOutput lost = connection.run(busy().withEnvironment("BOXD_BUSY_SOCKET", "/nowhere"), soon());
        assertThat(lost.status()).isEqualTo(new ExitStatus.Exited(1));
        assertThat(lost.stderrText()).contains("does not answer at /nowhere");
    }

    @Test
    void usersCanNeitherUseUpAllLeasesNorTouchThoseOfOthers(@TempDir Path folder) throws Exception {
        run("--name", "mine");
        Path tool = Files.copy(TestingAgent.binary(), folder.resolve("boxd"));
        for (Path passage :
                List.of(folder, Objects.requireNonNull(agent.busySocket().getParent()), tool)) {
            Files.setPosixFilePermissions(passage, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        int taken = 0;
        for (int i = 0; i < 20; i++) {
            taken += runAs("daemon", tool, "--name", "n" + i).status().succeeded() ? 1 : 0;
        }
        assertThat(taken).isEqualTo(16);
        assertThat(runAs("daemon", tool, "--name", "more").stderrText()).contains("too many leases");
        assertThat(connection.leases(soon()))
                .filteredOn(lease -> lease.user() == 1)
                .hasSize(16);
        assertThat(runAs("daemon", tool, "--clear").status().succeeded()).isTrue();
        assertThat(names()).containsExactly("mine");
    }

    private CommandOutput runAs(String user, Path tool, String... words) {
        List<String> command = new ArrayList<>(List.of(tool.toString(), "busy"));
        command.addAll(List.of(words));
        ExecRequest request = ExecRequest.argv(command)
                .withEnvironment("BOXD_BUSY_SOCKET", agent.busySocket().toString())
                .withUser(user)
                .withCwd("/");
        return connection.run(request, soon());
    }

    @Test
    void nonsenseAndManyConnectionsDoNotExhaustTheAgent() throws Exception {
        List<SocketChannel> open = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) {
                SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                open.add(channel);
                channel.connect(UnixDomainSocketAddress.of(agent.busySocket()));
                say(channel, i % 2 == 0 ? "x".repeat(1000) : "hold 60 name" + i + "\n");
            }
            assertThat(connection.ping(soon())).isPositive();
            assertThat(connection.run(ExecRequest.argv("echo", "x"), soon()).stdoutText())
                    .isEqualTo("x\n");
            assertThat(names()).hasSizeLessThanOrEqualTo(64);
        } finally {
            for (SocketChannel channel : open) {
                channel.close();
            }
        }
        awaitNews(List::isEmpty);
        assertThat(run("--name", "after").status().succeeded()).isTrue();
        assertThat(names()).containsExactly("after");
    }

    /** True if it was taken; somebody may have been turned away already. */
    private static boolean say(SocketChannel channel, String words) {
        try {
            return channel.write(ByteBuffer.wrap(words.getBytes(UTF_8))) > 0;
        } catch (IOException e) {
            return false;
        }
    }
}
