package io.boxd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.ServerFacts;
import io.boxd.linux.Command;
import io.boxd.trust.Pem;
import io.boxd.trust.Trust;
import io.boxd.worker.Status;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole server, but for the machines: its files, its door, its end. */
@Tag("host")
class ServerTest {
    @TempDir
    private Path folder;

    private final TestingRooms rooms = new TestingRooms();

    private ServerConfig config(String port) {
        return Configuration.read(
                Optional.empty(),
                Map.of(
                        "BOXD_HOME",
                        folder.resolve("home").toString(),
                        "BOXD_HTTP_PORT",
                        port,
                        "BOXD_DNS_PORT",
                        "0",
                        "BOXD_HTTPS_PORT",
                        "0",
                        "BOXD_SSH_PORT",
                        "0",
                        "BOXD_MEMORY",
                        "512M",
                        "BOXD_DISK",
                        "1G"));
    }

    private static String get(ServerFacts server, String path, String token) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + path))
                    .header("Authorization", "Bearer " + token)
                    .timeout(Duration.ofSeconds(20))
                    .build();
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(200);
            return response.body();
        }
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void itsFilesSayWhereItIsAndAreGoneWhenItIs() throws Exception {
        Path home = folder.resolve("home");
        InstanceFiles files = new InstanceFiles(home);
        try (Server server = Server.open(config("0"), rooms)) {
            ServerFacts facts = files.running().orElseThrow();
            assertThat(facts).isEqualTo(server.facts());
            assertThat(facts.pid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(facts.ports().http()).isPositive();
            assertThat(mode(home.resolve("server.json"))).isEqualTo("rw-r--r--");
            assertThat(mode(home.resolve("token"))).isEqualTo("rw-------");
            assertThat(mode(home)).isEqualTo("rwx--x--x");
            String token = Files.readString(home.resolve("token")).strip();
            assertThat(get(facts, "/v1/status", token)).contains("\"accel_reason\":\"nobody tried\"");
            awaitReady(facts);
            assertThat(rooms.testingBoxes().list())
                    .as("the trial's box is gone")
                    .isEmpty();
            assertThat(Files.readString(home.resolve("log/server.log")))
                    .contains("boxes can be made")
                    .doesNotContain(token);
        }
        assertThat(home.resolve("server.json")).doesNotExist();
        assertThat(files.running()).isEmpty();
        assertThat(rooms.isClosed()).isTrue();
    }

    private static void awaitReady(ServerFacts facts) {
        Deadline deadline = Deadline.inSeconds(30);
        try (LocalServer local = new LocalServer()) {
            while (!local.ready(facts).ready()) {
                assertThat(local.pause(deadline)).as("ready in time").isTrue();
            }
        }
    }

    @Test
    void itsNamesAreAnsweredAndCertified() throws Exception {
        try (Server server = Server.open(config("0"), rooms)) {
            ServerFacts facts = server.facts();
            String port = String.valueOf(facts.ports().dns());
            for (String name : List.of("boxd.localhost", "any-box.boxd.localhost", "3000-any-box.boxd.localhost")) {
                Command.Result answer = Command.of("dig", "@127.0.0.1", "-p", port, "+short", name, "A")
                        .run(Deadline.inSeconds(30));
                assertThat(answer.output()).as(name).isEqualTo("127.0.0.1\n");
            }
            String token = Files.readString(folder.resolve("home/token")).strip();
            assertThat(get(facts, "/v1/trust", token))
                    .contains("\"fingerprint_sha256\"", "-----BEGIN CERTIFICATE-----");
            assertThat(get(facts, "/v1/certificates", token)).contains("*.boxd.localhost");
        }
    }

    /** With what everybody can read, and nothing else, a client can be sure whom it talks to. */
    @Test
    void itIsAskedWithTlsByWhoeverTrustsItsAuthority() throws Exception {
        try (Server server = Server.open(config("0"), rooms)) {
            ServerFacts facts = server.facts();
            Path certificate = Path.of(Objects.requireNonNull(facts.certificate()));
            assertThat(mode(certificate)).isEqualTo("rw-r--r--");
            assertThat(mode(folder.resolve("home/authority"))).isEqualTo("rwx------");
            for (String host : List.of("localhost", "127.0.0.1")) {
                HttpRequest request = HttpRequest.newBuilder(URI.create(
                                "https://" + host + ":" + facts.ports().https() + "/healthz"))
                        .timeout(Duration.ofSeconds(20))
                        .build();
                assertThat(secure(Trust.in(Pem.certificates(certificate)), request))
                        .isEqualTo(200);
                assertThatThrownBy(() -> secure(Trust.in(List.of()), request)).isInstanceOf(IOException.class);
            }
        }
        byte[] first = Files.readAllBytes(folder.resolve("home/authority.pem"));
        Server.open(config("0"), new TestingRooms()).close();
        assertThat(folder.resolve("home/authority.pem")).hasBinaryContent(first);
    }

    private static int secure(TrustManager trust, HttpRequest request) throws Exception {
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(null, new TrustManager[] {trust}, null);
        try (HttpClient client = HttpClient.newBuilder()
                .sslContext(context)
                .version(HttpClient.Version.HTTP_1_1)
                .build()) {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        }
    }

    @Test
    void theTokenStays() throws IOException {
        Server.open(config("0"), new TestingRooms()).close();
        String first = Files.readString(folder.resolve("home/token"));
        Server.open(config("0"), rooms).close();
        assertThat(Files.readString(folder.resolve("home/token"))).isEqualTo(first);
    }

    @Test
    void aSecondServerInTheSameHomeIsRefusedAndTheFirstUnharmed() {
        try (Server first = Server.open(config("0"), rooms)) {
            assertThatThrownBy(() -> Server.open(config("0"), new TestingRooms()))
                    .isInstanceOfSatisfying(BoxdException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.WRONG_STATE);
                        assertThat(e.getMessage())
                                .contains("process " + ProcessHandle.current().pid());
                        assertThat(e.hint()).contains("BOXD_HOME");
                    });
            awaitReady(first.facts());
            assertThat(new InstanceFiles(folder.resolve("home")).running()).contains(first.facts());
        }
    }

    @Test
    void aPortThatIsTakenIsToldAndEverythingIsClosedAgain() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> Server.open(config(String.valueOf(taken.getLocalPort())), rooms))
                    .isInstanceOfSatisfying(BoxdException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                        assertThat(e.hint()).contains("BOXD_HTTP_PORT");
                    });
        }
        assertThat(rooms.isClosed()).isTrue();
        assertThat(folder.resolve("home/server.json")).doesNotExist();
        Server.open(config("0"), new TestingRooms()).close();
    }

    @Test
    void boxesRunOnUnlessTheirHibernationIsWished() {
        InstanceFiles files = new InstanceFiles(folder.resolve("home"));
        try (Server server = Server.open(config("0"), rooms)) {
            awaitReady(server.facts());
            rooms.testingBoxes().add("a");
        }
        assertThat(rooms.testingBoxes().find("a").status()).isEqualTo(Status.RUNNING);
        try (Server server = Server.open(config("0"), rooms)) {
            awaitReady(server.facts());
            files.wishForHibernation();
        }
        assertThat(rooms.testingBoxes().find("a").status()).isEqualTo(Status.HIBERNATED);
        assertThat(files.hibernationIsWished()).isFalse();
    }

    private ServerFacts facts(long pid, Instant started) {
        String home = folder.resolve("home").toString();
        return new ServerFacts(
                pid,
                "x",
                "http://127.0.0.1:1",
                home,
                "tcg",
                new ServerFacts.Ports(1, 2, null, 3),
                started.toString(),
                null,
                null);
    }

    @Test
    void whatIsLeftOfAServerThatWasKilledMisleadsNobody() throws IOException {
        Path home = folder.resolve("home");
        InstanceFiles files = new InstanceFiles(home);
        files.make();
        ServerFacts dead = facts(2_000_000_000, Instant.now());
        files.announce(dead);
        assertThat(files.running()).isEmpty();
        files.announce(facts(ProcessHandle.current().pid(), Instant.EPOCH));
        assertThat(files.running())
                .as("a process that only has the same number")
                .isEmpty();
        files.announce(facts(ProcessHandle.current().pid(), Instant.now()));
        assertThat(files.running()).isPresent();
        Files.writeString(home.resolve("server.json"), "{half");
        assertThat(files.running()).isEmpty();
        assertThat(Json.write(dead)).contains("started_at");
    }
}
