package io.boxd.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Json;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Logs as server-sent events, with commands that the real agent runs. */
@Tag("host")
class LogEventsTest {
    private final TestingDoor door = new TestingDoor();

    @BeforeEach
    void open() {
        door.house().boxes().add("a");
    }

    @AfterEach
    void close() {
        door.close();
    }

    private record Event(String name, String id, JsonNode data) {
        byte[] bytes() {
            return Base64.getDecoder().decode(data.path("bytes").asString());
        }
    }

    /** Reads events one by one. */
    private static final class Reader implements AutoCloseable {
        private final BufferedReader lines;

        Reader(InputStream in) {
            lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        }

        /** The next one; nothing at the end. */
        Optional<Event> next() throws IOException {
            String name = "";
            String id = "";
            @Nullable JsonNode data = null;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.isEmpty() && data != null) {
                    return Optional.of(new Event(name, id, data));
                } else if (line.startsWith("event: ")) {
                    name = line.substring(7);
                } else if (line.startsWith("id: ")) {
                    id = line.substring(4);
                } else if (line.startsWith("data: ")) {
                    data = Json.parse(line.substring(6));
                }
            }
            return Optional.empty();
        }

        @Override
        public void close() throws IOException {
            lines.close();
        }
    }

    private HttpResponse<InputStream> ask(String query, String lastEvent) throws IOException {
        HttpRequest.Builder request = door.request("/v1/boxes/a/logs" + query).header("Accept", "text/event-stream");
        if (!lastEvent.isEmpty()) {
            request.header("Last-Event-ID", lastEvent);
        }
        return door.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    private String run(String script) throws IOException {
        ObjectNode said = Json.object().put("detach", true);
        said.putArray("argv").add("sh").add("-c").add(script); // what a login shell says depends on the host
        return door.post("/v1/boxes/a/exec", Json.write(said))
                .json()
                .path("exec_id")
                .asString();
    }

    @Test
    void aLogComesWithOffsetsAndItsEnd() throws IOException {
        String id = run("printf out; sleep 0.2; printf err >&2; exit 3");
        HttpResponse<InputStream> answer = ask("?follow=true", "");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("text/event-stream");
        try (Reader reader = new Reader(answer.body())) {
            Event started = reader.next().orElseThrow();
            assertThat(started.name()).isEqualTo("started");
            assertThat(started.data().path("exec_id").asString()).isEqualTo(id);
            Event out = reader.next().orElseThrow();
            assertThat(out.name()).isEqualTo("stdout");
            assertThat(out.bytes()).asString().isEqualTo("out");
            assertThat(out.id()).isEqualTo(id + ":3");
            Event err = reader.next().orElseThrow();
            assertThat(err.name()).isEqualTo("stderr");
            assertThat(err.data().path("offset").asInt()).isEqualTo(3);
            assertThat(err.id()).isEqualTo(id + ":6");
            Event ended = reader.next().orElseThrow();
            assertThat(ended.name()).isEqualTo("ended");
            assertThat(ended.data().path("exit_code").asInt()).isEqualTo(3);
            assertThat(reader.next()).isEmpty();
            assertThat(ask("?follow=true", ended.id()).statusCode())
                    .as("a browser that has heard the end stays away")
                    .isEqualTo(204);
        }
    }

    /** A client that is cut off again and again, and another command meanwhile: every byte once. */
    @Test
    void whoComesBackMissesNothingAndHearsNothingTwice() throws IOException {
        byte[] expected = new byte[400_000];
        new Random(7).nextBytes(expected);
        java.nio.file.Path file = java.nio.file.Files.createTempFile("boxd-log", ".bin");
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        int connections = 0;
        try {
            java.nio.file.Files.write(file, expected);
            run("cat " + file);
            String last = "";
            boolean ended = false;
            while (!ended) {
                connections++;
                try (Reader reader = new Reader(ask("?follow=true", last).body())) {
                    for (int events = 0; events < 3 && !ended; events++) {
                        Event event = reader.next().orElseThrow();
                        last = event.id();
                        ended = event.name().equals("ended");
                        if (event.name().startsWith("std")) {
                            assertThat(event.data().path("offset").asLong()).isEqualTo(heard.size());
                            heard.writeBytes(event.bytes());
                        }
                    }
                }
                run("true"); // the newest execution is another one from now on
            }
        } finally {
            java.nio.file.Files.delete(file);
        }
        assertThat(heard.toByteArray()).isEqualTo(expected);
        assertThat(connections).isGreaterThan(2);
    }

    @Test
    void aLogThatIsNotFollowedEndsAndCanBeGoneOnWith() throws IOException {
        run("printf one; sleep 100");
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        String last = "";
        while (heard.size() < 3) {
            try (Reader reader = new Reader(ask("", last).body())) {
                for (Optional<Event> event = reader.next(); event.isPresent(); event = reader.next()) {
                    last = event.get().id();
                    if (event.get().name().equals("stdout")) {
                        heard.writeBytes(event.get().bytes());
                    } else if (event.get().name().equals("ended")) {
                        assertThat(event.get().data().path("exit_code").isNull())
                                .isTrue();
                    }
                }
            }
        }
        assertThat(heard.toString(StandardCharsets.UTF_8)).isEqualTo("one");
        assertThat(last).endsWith(":3");
    }

    @Test
    void theConsoleHasNoPlacesToGoOnFrom() throws IOException {
        door.house().boxes().setConsole("boot\n");
        try (Reader reader = new Reader(ask("?console=true", "").body())) {
            List<String> names = List.of(
                    reader.next().orElseThrow().name(),
                    reader.next().orElseThrow().name());
            assertThat(names).containsExactly("started", "stdout");
            assertThat(reader.next().orElseThrow().id()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense", "ex_1:2", "ex_00000000000000000000000000000000:x"})
    void anIdOfSomebodyElseIsRefused(String id) throws IOException {
        run("true");
        assertThat(ask("", id).statusCode()).isEqualTo(400);
    }

    @Test
    void whatGoesWrongBeforehandIsAnOrdinaryError() throws IOException {
        assertThat(ask("", "").statusCode()).as("no command was run").isEqualTo(404);
        String id = run("true");
        assertThat(ask("?exec_id=" + id + "&console=true", "").statusCode()).isEqualTo(400);
        assertThat(ask("?nonsense=1", "").statusCode()).isEqualTo(400);
        assertThat(ask("?offset=1", id + ":0").statusCode()).isEqualTo(400);
        HttpRequest html =
                door.request("/v1/boxes/a/logs").header("Accept", "text/html").build();
        HttpResponse<String> answer = door.send(html, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(426);
        assertThat(answer.headers().firstValue("Upgrade")).contains("websocket");
    }
}
