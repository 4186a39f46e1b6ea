package io.boxd.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Logging in to servers elsewhere, which one is used, and where its token goes and does not go. */
@Tag("unit")
@Timeout(60)
final class ContextTest {
    @TempDir
    private Path home;

    private TestingServer server;

    @BeforeEach
    void start() throws IOException {
        server = boxd(new TestingServer());
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private static TestingServer boxd(TestingServer server) {
        return server.json("GET /healthz", 200, "{\"alive\":true}")
                .json("GET /v1/status", 200, "{\"version\":\"1.2\",\"url\":\"http://x\"}")
                .json("GET /v1/boxes", 200, "[]");
    }

    private Map<String, String> environment(String... more) {
        Map<String, String> environment = new HashMap<>(Map.of("HOME", home.toString()));
        for (int i = 0; i < more.length; i += 2) {
            environment.put(more[i], more[i + 1]);
        }
        return environment;
    }

    private Ran login(String token, String... more) {
        List<String> line = new ArrayList<>(List.of("login", "--token-stdin"));
        line.addAll(List.of(more));
        byte[] input = (token + "\n").getBytes(StandardCharsets.UTF_8);
        return Ran.withInput(environment(), new ByteArrayInputStream(input), line.toArray(String[]::new));
    }

    private Path file() {
        return home.resolve(".config/boxd/contexts.json");
    }

    @Test
    void whoLogsInUsesThatServerFromThenOn() throws IOException {
        Ran ran = login(TestingServer.TOKEN, server.url(), "--name", "lab");
        assertThat(ran.errors()).isEmpty();
        assertThat(ran.output()).contains("logged in to " + server.url(), "boxd 1.2", "lab");
        assertThat(ran.output()).doesNotContain(TestingServer.TOKEN);
        assertThat(Files.getPosixFilePermissions(file())).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(Files.getPosixFilePermissions(file().getParent()))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        try (Stream<Path> left = Files.list(file().getParent())) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("contexts.json", "lock");
        }
        assertThat(Ran.line(environment(), "list")).isEqualTo(new Ran(0, Ran.NO_BOXES, ""));
        Ran list = Ran.line(environment(), "context", "list");
        assertThat(list.output()).contains("local", "lab", server.url()).doesNotContain(TestingServer.TOKEN);
        assertThat(list.output().lines().filter(line -> line.startsWith("*")))
                .singleElement()
                .asString()
                .contains("lab");
        assertThat(PlainJson.parse(
                        Ran.line(environment(), "context", "ls", "--json").output()))
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
                .contains(Map.of(
                        "name",
                        "lab",
                        "url",
                        server.url(),
                        "current",
                        true,
                        "logged_in",
                        true,
                        "insecure_http",
                        false));
    }

    @Test
    void theTokenComesFromAFileToo(@TempDir Path folder) throws IOException {
        Path token = Files.writeString(folder.resolve("token"), TestingServer.TOKEN + "\n");
        Ran ran = Ran.line(environment(), "login", server.url(), "--token-file", token.toString(), "--json");
        assertThat(ran.status()).isZero();
        assertThat(PlainJson.parse(ran.output()))
                .isEqualTo(Map.of(
                        "name",
                        "127.0.0.1",
                        "url",
                        server.url(),
                        "current",
                        true,
                        "logged_in",
                        true,
                        "insecure_http",
                        false,
                        "version",
                        "1.2"));
        assertThat(Ran.line(environment(), "login", server.url()).errors()).contains("there is no token");
        Ran both = Ran.line(environment(), "login", server.url(), "--token-stdin", "--token-file", token.toString());
        assertThat(both.errors()).contains("exclude each other");
    }

    @Test
    void whatTheServerRefusesIsNotKept() {
        Ran ran = login("wrong-token", server.url());
        assertThat(ran.status()).isEqualTo(5);
        assertThat(ran.errors()).contains("the token is not right").doesNotContain("wrong-token");
        assertThat(file()).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\n<h1>",
                "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<h1>",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
                "HTTP/1.1 301 Moved\r\nLocation: /login\r\n\r\n",
                "SSH-2.0-OpenSSH_9.2\r\n"
            })
    void whoIsNoBoxdIsNotGivenTheToken(String answer) throws IOException {
        server.on("GET /healthz", (heard, exchange) -> exchange.raw(answer));
        Ran ran = login(TestingServer.TOKEN, server.url());
        assertThat(ran.status()).isEqualTo(7);
        assertThat(ran.errors()).contains("is no boxd server");
        assertThat(server.heard())
                .isNotEmpty()
                .allSatisfy(heard -> assertThat(heard.headers()).doesNotContainKey("authorization"));
        assertThat(file()).doesNotExist();
    }

    @Test
    void otherServersDoNotLoseTheirNames() throws IOException {
        login(TestingServer.TOKEN, server.url());
        try (TestingServer other = boxd(new TestingServer())) {
            Ran same = login(TestingServer.TOKEN, other.url());
            assertThat(same.status()).isEqualTo(4);
            assertThat(same.errors()).contains("--name");
            assertThat(login(TestingServer.TOKEN, other.url(), "--name", "other")
                            .status())
                    .isZero();
            assertThat(login(TestingServer.TOKEN, server.url()).status())
                    .as("again")
                    .isZero();
        }
        for (String name : List.of("local", "Upper", "a b", "-x", "")) {
            assertThat(login(TestingServer.TOKEN, server.url(), "--name=" + name)
                            .status())
                    .as(name)
                    .isEqualTo(2);
        }
    }

    @Test
    void oneSaysWhichServerIsUsed() throws IOException {
        Path local = home.resolve("instance");
        try (TestingServer here = boxd(new TestingServer())) {
            here.settle(local);
            login(TestingServer.TOKEN, server.url(), "--name", "lab");
            server.json("GET /v1/boxes/b", 200, "{\"name\":\"of-lab\"}");
            here.json("GET /v1/boxes/b", 200, "{\"name\":\"of-here\"}");
            assertThat(Ran.line(environment(), "info", "b").output()).contains("of-lab");
            // What the environment names is nearer than what is in use, but not than what the line says.
            Map<String, String> instance = environment("BOXD_HOME", local.toString());
            assertThat(Ran.line(instance, "info", "b").output()).contains("of-here");
            assertThat(Ran.line(instance, "info", "b", "--context", "lab").output())
                    .contains("of-lab");
            assertThat(Ran.line(instance, "info", "--context=local", "b").output())
                    .contains("of-here");
            Map<String, String> elsewhere = environment("BOXD_URL", here.url(), "BOXD_TOKEN", TestingServer.TOKEN);
            assertThat(Ran.line(elsewhere, "info", "b").output()).contains("of-here");
            Ran both = Ran.line(elsewhere, "info", "b", "--context", "lab");
            assertThat(both.status()).isEqualTo(2);
            assertThat(both.errors()).contains("BOXD_URL", "--context");
            assertThat(Ran.line(environment("BOXD_TOKEN", "other-token"), "list")
                            .status())
                    .as("the token of the environment")
                    .isEqualTo(5);
            assertThat(Ran.line(environment(), "context", "use", "local").output())
                    .contains("local is in use");
            assertThat(Ran.line(environment("BOXD_HOME", ""), "list").errors()).contains("boxd is not running here");
            assertThat(Ran.line(instance, "context", "use", "lab").errors()).contains("BOXD_HOME is set");
        }
        Ran unknown = Ran.line(environment(), "list", "--context", "nobody");
        assertThat(unknown.status()).isEqualTo(3);
        assertThat(unknown.errors()).contains("there is no context 'nobody'");
        assertThat(Ran.line(environment(), "context", "use", "nobody").status()).isEqualTo(3);
        assertThat(Ran.line(environment(), "version", "--context", "lab").status())
                .as("no server is asked")
                .isEqualTo(2);
    }

    @Test
    void loggingOutForgetsTheTokenAndRemovingAllOfIt() throws IOException {
        login(TestingServer.TOKEN, server.url(), "--name", "lab");
        assertThat(Ran.line(environment(), "logout").status()).isZero();
        assertThat(Files.readString(file())).doesNotContain(TestingServer.TOKEN);
        Ran out = Ran.line(environment(), "list");
        assertThat(out.status()).isEqualTo(5);
        assertThat(out.errors()).contains("you are logged out of lab", "boxd login " + server.url() + " --name lab");
        assertThat(Ran.line(environment("BOXD_TOKEN", TestingServer.TOKEN), "list")
                        .status())
                .isZero();
        assertThat(Ran.line(environment(), "context", "rm", "lab").output()).isEqualTo("deleted lab\n");
        assertThat(Ran.line(environment(), "context", "list", "--json").output())
                .doesNotContain("lab");
        assertThat(Ran.line(environment(), "context", "rm", "local").status()).isEqualTo(2);
        Ran nobody = Ran.line(environment(), "logout");
        assertThat(nobody.status()).isEqualTo(4);
        assertThat(nobody.errors()).contains("you are not logged in");
    }

    @Test
    void theFolderOfXdgIsUsedUnlessItIsRelative(@TempDir Path config) {
        Map<String, String> absolute = environment("XDG_CONFIG_HOME", config.toString());
        Ran.withInput(absolute, input(), "login", server.url(), "--token-stdin");
        assertThat(config.resolve("boxd/contexts.json")).exists();
        assertThat(file()).doesNotExist();
        Ran.withInput(environment("XDG_CONFIG_HOME", "here"), input(), "login", server.url(), "--token-stdin");
        assertThat(file()).exists();
        Ran nowhere = Ran.withInput(Map.of(), input(), "login", server.url(), "--token-stdin");
        assertThat(nowhere.errors()).contains("Set HOME or XDG_CONFIG_HOME");
    }

    private static ByteArrayInputStream input() {
        return new ByteArrayInputStream(TestingServer.TOKEN.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aDamagedFileIsNotGuessedAt() throws IOException {
        Files.createDirectories(file().getParent());
        for (String damage : List.of("{", "[]", "{\"version\":2}", "{\"version\":1,\"contexts\":{\"a\":{}}}")) {
            Files.writeString(file(), damage);
            Ran ran = Ran.line(environment(), "list");
            assertThat(ran.status()).as(damage).isEqualTo(1);
            assertThat(ran.errors()).contains(file().toString(), "log in again");
        }
    }

    @Test
    void whoeverChangesTheFileAtTheSameTimeLosesNothing() throws InterruptedException {
        Contexts contexts = Contexts.of(environment());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            Context context = new Context("c" + i, "https://c" + i, "t", null, false);
            threads.add(Thread.ofPlatform().start(() -> contexts.change(known -> known.with(context))));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(contexts.load().contexts()).hasSize(16);
    }

    /** Nothing connects: an address of documentation would not answer, and the test would run into its time. */
    @Test
    void theTokenDoesNotGoOverAnOpenNetworkByItself() {
        for (Ran ran : List.of(
                login(TestingServer.TOKEN, "http://192.0.2.1:8080"),
                Ran.line(environment("BOXD_URL", "http://192.0.2.1", "BOXD_TOKEN", "x"), "list"),
                Ran.line(environment("BOXD_URL", "http://192.0.2.1", "BOXD_TOKEN", "x"), "exec", "--json", "b", "x"))) {
            assertThat(ran.errors()).contains("the token is not sent to http://192.0.2.1", "--insecure-http");
            assertThat(ran.status()).isIn(5, 125);
        }
        assertThat(login(TestingServer.TOKEN, "https://127.0.0.1", "--insecure-http")
                        .status())
                .isEqualTo(2);
        assertThat(login(TestingServer.TOKEN, server.url(), "--insecure-http").output())
                .contains("unencrypted");
    }

    @Test
    void howFarATokenGoesIsDecidedByTheAddressItGoesTo() throws IOException {
        InetAddress loopback = InetAddress.getByName("127.9.9.9");
        InetAddress other = InetAddress.getByName("192.0.2.1");
        InetAddress own = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress())
                .findFirst()
                .orElse(loopback);
        for (ServerAddress.Reach reach : ServerAddress.Reach.values()) {
            plain("localhost", reach).requireSafe(loopback);
            secure(reach).requireSafe(other);
        }
        plain("x", ServerAddress.Reach.THIS_MACHINE).requireSafe(own);
        plain("x", ServerAddress.Reach.ANYWHERE).requireSafe(other);
        for (ServerAddress.Reach reach : List.of(ServerAddress.Reach.LOOPBACK, ServerAddress.Reach.THIS_MACHINE)) {
            // A name that looks like this machine means nothing.
            assertThatThrownBy(() -> plain("localhost", reach).requireSafe(other))
                    .isInstanceOfSatisfying(
                            BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PERMISSION_DENIED));
        }
    }

    private static ServerAddress plain(String host, ServerAddress.Reach reach) {
        return new ServerAddress(new ServerUrl(false, host, 80), "x", null, reach, "test");
    }

    private static ServerAddress secure(ServerAddress.Reach reach) {
        return new ServerAddress(new ServerUrl(true, "host", 443), "x", null, reach, "test");
    }

    @Test
    void whereThereIsNoWayOneIsToldWhy() throws IOException {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        Ran refused = login(TestingServer.TOKEN, "https://127.0.0.1:" + free);
        assertThat(refused.status()).isEqualTo(7);
        assertThat(refused.errors()).contains("nothing listens at https://127.0.0.1:" + free, "Is the port right");
        Ran unknown = login(TestingServer.TOKEN, "https://no-such-host.invalid");
        assertThat(unknown.status()).isEqualTo(7);
        assertThat(unknown.errors()).contains("nobody knows the host no-such-host.invalid");
        Ran noPem = Ran.line(
                environment(
                        "BOXD_CA",
                        "/dev/null",
                        "BOXD_TOKEN",
                        "x",
                        "BOXD_URL",
                        server.url().replace("p:", "ps:")),
                "list");
        assertThat(noPem.errors()).contains("the file of trusted certificates has none");
        assertThat(Ran.line(environment("BOXD_CA", "/nowhere", "BOXD_TOKEN", "x", "BOXD_URL", server.url()), "list")
                        .errors())
                .contains("BOXD_CA says /nowhere");
    }

    @Test
    void aServerThatDoesNotTakeTheConnectionIsLeftInTime() throws IOException {
        // Its queue is full: the kernel answers nobody any more.
        List<Socket> waiting = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ServerAddress address = new ServerAddress(
                    new ServerUrl(true, "127.0.0.1", full.getLocalPort()),
                    "x",
                    null,
                    ServerAddress.Reach.LOOPBACK,
                    "test");
            for (int i = 0; i < 2; i++) {
                waiting.add(new Socket(InetAddress.getLoopbackAddress(), full.getLocalPort()));
            }
            assertThatThrownBy(() -> PatientSocket.connect(address, java.time.Duration.ofMillis(300)))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("did not answer within 300 ms");
        } finally {
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }
}
