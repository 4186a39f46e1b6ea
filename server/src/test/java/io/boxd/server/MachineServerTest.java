package io.boxd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server with real machines, driven over HTTP as any client does. */
@Tag("machine")
class MachineServerTest {
    private Path home;
    private ServerConfig config;
    private Server server;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeEach
    void open() throws IOException {
        home = Files.createTempDirectory("boxd-e2e");
        config = Configuration.read(
                Optional.empty(),
                Map.ofEntries(
                        Map.entry("BOXD_HOME", home.toString()),
                        Map.entry("BOXD_REGISTRY", home.resolve("registry").toString()),
                        Map.entry("BOXD_IMAGE_CACHE", System.getProperty("boxd.image.cache", "/var/cache/boxd")),
                        Map.entry("BOXD_DNS_PORT", "0"),
                        Map.entry("BOXD_HTTPS_PORT", "0"),
                        Map.entry("BOXD_SSH_PORT", "0"),
                        Map.entry("BOXD_HTTP_PORT", "0"),
                        Map.entry("BOXD_IMAGE", "tiny"),
                        Map.entry("BOXD_CPUS", "1"),
                        Map.entry("BOXD_MEMORY", "256M"),
                        Map.entry("BOXD_DISK", "256M")));
        start();
    }

    private void start() {
        server = Server.open(config, new MachineRooms(config));
        Deadline deadline = Deadline.inSeconds(120);
        try (LocalServer local = new LocalServer()) {
            while (!local.ready(server.facts()).ready()) {
                assertThat(local.pause(deadline))
                        .as("a box can be made in time")
                        .isTrue();
            }
        }
    }

    @AfterEach
    void close() throws Exception {
        try {
            for (String name : find("\"name\":\"([^\"]*)\"", say("GET", "/boxes?all=true", ""))) {
                say("POST", "/destroy", "{'boxes':['" + name + "']}");
            }
        } finally {
            server.close();
            client.shutdownNow();
            FileOwner.deleteTree(home);
        }
    }

    private static java.util.List<String> find(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private String say(String method, String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.facts().url() + "/v1" + path))
                .header(
                        "Authorization",
                        "Bearer " + Files.readString(home.resolve("token")).strip())
                .timeout(Duration.ofMinutes(2))
                .method(method, HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    private String exec(String box, String script) throws Exception {
        String answer = say("POST", "/boxes/" + box + "/exec", "{'script':'" + script + "'}");
        Matcher output = Pattern.compile("\"output\":\"([^\"]*)\"").matcher(answer);
        assertThat(output.find()).as(answer).isTrue();
        return output.group(1);
    }

    @Test
    void aBoxLivesThroughEverythingThatIsSaidToIt() throws Exception {
        String made = say("POST", "/boxes", "{'name':'one','env':{'GREETING':'hi'}}");
        assertThat(made).contains("\"status\":\"running\"");
        assertThat(exec("one", "echo $GREETING; id -un; pwd")).isEqualTo("hi\\nboxd\\n/home/boxd\\n");
        String checked = say("POST", "/boxes/one/exec", "{'script':'echo kept > file','checkpoint':true}");
        String execution = find("\"exec_id\":\"([^\"]*)\"", checked).getFirst();
        assertThat(say("POST", "/boxes/one/fork", "{'name':'two'}")).contains("\"pause_ms\"");
        assertThat(exec("two", "cat file")).isEqualTo("kept\\n");
        assertThat(say("POST", "/boxes/two/hibernate", "")).contains("\"status\":\"hibernated\"");
        assertThat(exec("two", "cat file")).as("a command wakes it").isEqualTo("kept\\n");
        assertThat(say("POST", "/boxes/one/rollback", "{'before':'" + execution + "'}"))
                .contains("\"cause\":\"left\"");
        assertThat(exec("one", "ls; echo gone"))
                .as("the file was made afterwards")
                .isEqualTo("gone\\n");
        assertThat(say("GET", "/boxes/one/timeline", ""))
                .contains("echo kept > file")
                .contains("\"two\"");
    }

    @Test
    void commandsOutliveTheServerAndAreFoundByTheNext() throws Exception {
        say("POST", "/boxes", "{'name':'one'}");
        String begun = say("POST", "/boxes/one/exec", "{'script':'while sleep 0.2; do echo tick; done','detach':true}");
        String execution = find("\"exec_id\":\"([^\"]*)\"", begun).getFirst();
        server.close();
        start();
        String running = say("GET", "/boxes/one/executions", "");
        assertThat(running).contains(execution).contains("\"status\":\"running\"");
        say("POST", "/boxes/one/executions/" + execution + "/kill", "{'signal':'KILL'}");
        new InstanceFiles(home).wishForHibernation();
        server.close();
        start();
        Deadline deadline = Deadline.inSeconds(60);
        while (!say("GET", "/boxes/one", "").contains("\"status\":\"running\"")) {
            assertThat(deadline.passed())
                    .as("what ran is woken after a restart of the host")
                    .isFalse();
        }
        assertThat(exec("one", "echo back")).isEqualTo("back\\n");
    }
}
