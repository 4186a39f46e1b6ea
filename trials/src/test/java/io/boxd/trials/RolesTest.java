package io.boxd.trials;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The doors in a process of a user who may do nothing, control and worker in another, and each is killed. */
@Tag("machine")
class RolesTest {
    private static final String NOBODY = "65534";
    private static final int UNAVAILABLE = 503;
    private static final int MEGABYTES = 20;

    @SuppressWarnings("NullAway.Init")
    private Instance instance;

    @SuppressWarnings("NullAway.Init")
    private Process inside;

    @SuppressWarnings("NullAway.Init")
    private Process doors;

    private String url = "";
    private String secret = "";

    @BeforeEach
    void begin() throws IOException {
        List<Integer> ports = ports();
        instance = Instance.tiny(Map.of(
                "BOXD_HTTP_PORT", String.valueOf(ports.get(0)),
                "BOXD_HTTPS_PORT", String.valueOf(ports.get(1)),
                "BOXD_INSIDE_PORT", String.valueOf(ports.get(2))));
        url = "http://127.0.0.1:" + ports.getFirst();
        // Nobody may pass through the folder to the program and to the pass, and see nothing else.
        Files.setPosixFilePermissions(instance.folder(), PosixFilePermissions.fromString("rwx--x--x"));
        instance.must("cp -a " + Instance.REPOSITORY.resolve("target/program") + " program");
        instance.must("./boxd pass pass --user " + NOBODY);
        doors = beginDoors();
        inside = instance.begin("./boxd serve --roles=control,worker");
        awaitReady();
        secret = Files.readString(instance.home().resolve("token")).strip();
    }

    /** All of them are free at the same time. */
    private static List<Integer> ports() throws IOException {
        try (ServerSocket one = new ServerSocket(0);
                ServerSocket two = new ServerSocket(0);
                ServerSocket three = new ServerSocket(0)) {
            return List.of(one.getLocalPort(), two.getLocalPort(), three.getLocalPort());
        }
    }

    private Process beginDoors() throws IOException {
        return instance.begin("setpriv --reuid=" + NOBODY + " --regid=" + NOBODY
                + " --clear-groups --no-new-privs env -u BOXD_HOME ./program/launch serve --roles=api --pass=pass");
    }

    @AfterEach
    void end() throws Exception {
        doors.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
        instance.must("./boxd down --boxes");
        instance.close();
    }

    private int status(String path) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                    .header("Authorization", "Bearer " + secret)
                    .timeout(Duration.ofSeconds(5))
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    private void awaitReady() throws IOException {
        Instance.await("a door that leads to a box", () -> status("/readyz") == 200, Deadline.inSeconds(240));
    }

    /** The command as somebody elsewhere says it, who has nothing but an address and a token. */
    private String elsewhere(String line) {
        return "env -u BOXD_HOME BOXD_URL=" + url + " BOXD_TOKEN=" + secret + " ./boxd " + line;
    }

    private static String user(long process) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process + "/status")).stream()
                .filter(line -> line.startsWith("Uid:"))
                .findFirst()
                .orElseThrow()
                .split("\\s+", -1)[1];
    }

    private long server() throws IOException {
        return Json.parse(Files.readString(instance.home().resolve("server.json")))
                .path("pid")
                .asLong();
    }

    private static void kill(long process) throws Exception {
        ProcessHandle handle = ProcessHandle.of(process).orElseThrow();
        handle.destroyForcibly();
        handle.onExit().get(20, TimeUnit.SECONDS);
    }

    @Test
    void doorsAndTheRestDieApartAndGoOnTogether() throws Exception {
        assertThat(user(doors.pid())).isEqualTo(NOBODY);
        assertThat(user(server())).isEqualTo("0");
        assertThat(instance.json("./boxd status --json").path("url").asString()).isEqualTo(url);

        instance.must(elsewhere("new --name one"));
        Process events = instance.begin(elsewhere("events -f > events"));
        passContentBothWays();
        passFiles();
        instance.must(elsewhere("exec one 'echo said'"));
        assertThat(instance.must(elsewhere("logs one -f"))).isEqualTo("said\n");
        instance.must(elsewhere("fork one --name two"));
        instance.must(elsewhere("destroy two"));
        Instance.await(
                "the events, as they happen",
                () -> Files.readString(instance.folder().resolve("events")).contains("two"),
                Deadline.inSeconds(20));
        events.destroyForcibly().waitFor(20, TimeUnit.SECONDS);

        String boot = instance.must(elsewhere("exec one 'cat /proc/sys/kernel/random/boot_id'"));
        kill(doors.pid());
        assertThat(status("/v1/boxes")).isZero();
        doors = beginDoors();
        awaitReady();
        assertThat(instance.must(elsewhere("exec one 'cat /proc/sys/kernel/random/boot_id'")))
                .isEqualTo(boot);

        kill(server());
        long begun = System.nanoTime();
        assertThat(status("/v1/boxes")).isEqualTo(UNAVAILABLE);
        assertThat(status("/readyz")).isEqualTo(UNAVAILABLE);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
        assertThat(instance.type(elsewhere("list")).errors()).contains("does not reach control");
        inside.waitFor(20, TimeUnit.SECONDS);
        inside = instance.begin("./boxd serve --roles=control,worker");
        awaitReady();
        assertThat(instance.must(elsewhere("exec one 'cat /proc/sys/kernel/random/boot_id'")))
                .as("the same box, which noticed nothing")
                .isEqualTo(boot);
        instance.must(elsewhere("destroy one"));
    }

    private void passContentBothWays() {
        instance.must("head -c " + MEGABYTES * 1_000_000 + " /dev/urandom > sent");
        instance.must(elsewhere("exec one cat < sent > received"));
        instance.must("cmp sent received");
    }

    private void passFiles() {
        instance.must(elsewhere("cp sent one:/tmp/sent"));
        instance.must(elsewhere("cp one:/tmp/sent back"));
        instance.must("cmp sent back");
    }
}
