package io.boxd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.chronicle.TestingReceiver;
import io.boxd.common.Deadline;
import io.boxd.common.PlainJson;
import io.boxd.control.ServerFacts;
import io.boxd.linux.FileOwner;
import io.boxd.verbs.Fields;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What happens to a real box is told in order, with cause and doer, also by a server that was killed. */
@Tag("machine")
class RememberedTest {
    private static final String SECRET = "a-secret-for-tests";

    private Path home;
    private final TestingReceiver receiver = new TestingReceiver();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private Process process;

    @BeforeEach
    void open() throws IOException {
        home = Files.createTempDirectory("boxd-e2e");
        start();
    }

    private void start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx256m",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                MachineServerProgram.class.getName());
        Map<String, String> settings = new HashMap<>();
        settings.put("BOXD_HOME", home.toString());
        settings.put("BOXD_REGISTRY", home.resolve("registry").toString());
        settings.put("BOXD_IMAGE_CACHE", System.getProperty("boxd.image.cache", "/var/cache/boxd"));
        settings.put("BOXD_HTTP_PORT", "0");
        settings.put("BOXD_HTTPS_PORT", "0");
        settings.put("BOXD_SSH_PORT", "0");
        settings.put("BOXD_DNS_PORT", "0");
        settings.put("BOXD_IMAGE", "tiny");
        settings.put("BOXD_CPUS", "1");
        settings.put("BOXD_MEMORY", "256M");
        settings.put("BOXD_DISK", "256M");
        settings.put("BOXD_IDLE", "off");
        settings.put("BOXD_WEBHOOKS_ALLOW_PRIVATE", "true");
        builder.environment().putAll(settings);
        builder.redirectErrorStream(true).redirectOutput(home.resolve("said").toFile());
        process = builder.start();
        InstanceFiles files = new InstanceFiles(home);
        Deadline deadline = Deadline.inSeconds(180);
        try (LocalServer local = new LocalServer()) {
            while (files.running().filter(server -> local.ready(server).ready()).isEmpty()) {
                assertThat(process.isAlive() && local.pause(deadline))
                        .as("a box can be made in time: %s", Files.readString(home.resolve("said")))
                        .isTrue();
            }
        }
    }

    private void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @AfterEach
    void close() throws Exception {
        try {
            List<Object> names = new ArrayList<>();
            Fields.each(say("GET", "/boxes?all=true", "")).forEach(box -> names.add(box.text("name")));
            if (!names.isEmpty()) {
                say("POST", "/destroy", PlainJson.write(Map.of("boxes", names)));
            }
        } finally {
            process.destroy();
            process.onExit().join();
            receiver.close();
            client.shutdownNow();
            FileOwner.deleteTree(home);
        }
    }

    private Object say(String method, String path, String body) throws Exception {
        ServerFacts server = new InstanceFiles(home).running().orElseThrow();
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + "/v1" + path))
                .header(
                        "Authorization",
                        "Bearer " + Files.readString(home.resolve("token")).strip())
                .timeout(Duration.ofMinutes(2))
                .method(method, HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isLessThan(300);
        return Objects.requireNonNull(PlainJson.parse(response.body()));
    }

    private List<Fields> events() throws Exception {
        return Fields.of(say("GET", "/events?limit=1000", "")).list("events");
    }

    private List<String> kindsOf(String box) throws Exception {
        return events().stream()
                .filter(event -> box.equals(event.text("box_id")))
                .map(event -> event.text("kind", ""))
                .toList();
    }

    private void awaitEvent(String kind, String box) throws Exception {
        Deadline deadline = Deadline.inSeconds(60);
        while (!kindsOf(box).contains(kind)) {
            assertThat(deadline.passed()).as("%s of %s is told", kind, box).isFalse();
        }
    }

    @Test
    void aBoxesLifeIsToldAcrossAServerThatWasKilled() throws Exception {
        Fields hook = Fields.of(say("POST", "/webhooks", "{'url':'" + receiver.url() + "','secret':'" + SECRET + "'}"));
        assertThat(hook.has("secret"))
                .as("a secret that was brought is not shown")
                .isFalse();
        long before = Fields.of(say("GET", "/events", "")).number("cursor", 0);
        String one = Fields.of(say("POST", "/boxes", "{'name':'one'}")).text("id", "");
        say("POST", "/boxes/one/pause", "");
        say("POST", "/boxes/one/resume", "");
        say("POST", "/boxes/one/snapshots", "{'label':'clean'}");
        awaitEvent("snapshot_kept", one);
        receiver.answer(503);
        String two = Fields.of(say("POST", "/boxes/one/fork", "{'name':'two'}")).text("id", "");
        say("POST", "/boxes/two/hibernate", "");
        say("POST", "/boxes/one/exec", "{'script':'echo s3cret-of-a-command'}");
        awaitEvent("hibernated", two);
        assertThat(Fields.each(say("GET", "/audit?box=two", "")))
                .as("all that was done is on disk")
                .isNotEmpty();
        kill();
        receiver.answer(200);
        start();
        say("POST", "/boxes/two/wake", "");
        say("POST", "/destroy", "{'boxes':['one','two']}");
        say("DELETE", "/snapshots/clean", "");
        awaitEvent("destroyed", two);

        assertThat(kindsOf(one))
                .containsExactly(
                        "created", "ready", "paused", "resumed", "snapshot_kept", "destroyed", "snapshot_forgotten");
        assertThat(kindsOf(two)).containsExactly("forked", "ready", "hibernated", "woken", "destroyed");
        List<Fields> events = events();
        assertThat(events)
                .allSatisfy(event -> assertThat(event.text("cause", "")).isNotEmpty());
        Fields forked = events.stream()
                .filter(event -> "forked".equals(event.text("kind")))
                .findFirst()
                .orElseThrow();
        assertThat(forked.object("details").text("parent")).isEqualTo(one);
        assertThat(Fields.each(say("GET", "/audit?verb=fork", "")))
                .as("event and entry name the same request")
                .extracting(entry -> entry.text("request_id"))
                .containsExactly(forked.text("request_id", "none"));

        audited();
        delivered(before);
    }

    private void audited() throws Exception {
        List<String> done = Fields.each(say("GET", "/audit?limit=1000", "")).stream()
                .filter(entry -> "deed".equals(entry.text("kind")))
                .map(entry -> entry.text("account") + "@" + entry.text("remote") + " " + entry.text("verb") + " "
                        + entry.text("box_name") + " " + entry.text("outcome"))
                .toList();
        assertThat(done)
                .containsSubsequence(
                        "root@127.0.0.1 new one ok",
                        "root@127.0.0.1 pause one ok",
                        "root@127.0.0.1 fork one ok",
                        "root@127.0.0.1 hibernate two ok",
                        "root@127.0.0.1 exec one ok",
                        "root@127.0.0.1 wake two ok",
                        "root@127.0.0.1 destroy one ok",
                        "root@127.0.0.1 destroy two ok");
        assertThat(Fields.of(say("GET", "/audit/verify", "")).flag("whole")).isTrue();
        try (var files = Files.walk(home.resolve("audit"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readString(file)).doesNotContain("s3cret-of-a-command");
            }
        }
    }

    /** Each event once it is there, in order, as the API shows it, and signed; a second time only around the kill. */
    private void delivered(long before) throws Exception {
        List<Fields> expected = events().stream()
                .filter(event -> event.number("sequence", 0) > before)
                .toList();
        Deadline deadline = Deadline.inSeconds(60);
        LinkedHashSet<Map<String, ?>> told = new LinkedHashSet<>();
        int count = 0;
        while (told.size() < expected.size() && !deadline.passed()) {
            count = Math.max(count + 1, receiver.received().size());
            told.clear();
            for (TestingReceiver.Received one : receiver.await(Math.min(count, expected.size()))) {
                assertThat(one.isSignedWith(SECRET)).isTrue();
                Fields event = Fields.of(PlainJson.parse(one.body()));
                if (event.number("sequence", 0) > before) {
                    told.add(event.values());
                }
            }
        }
        assertThat(told)
                .containsExactlyElementsOf(expected.stream().map(Fields::values).toList());
        long bodies = receiver.received().stream()
                .map(TestingReceiver.Received::body)
                .distinct()
                .count();
        assertThat(receiver.received().size() - bodies).isLessThanOrEqualTo(1);
    }
}
