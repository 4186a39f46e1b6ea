package io.boxd.trials;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What others make of the server's own description: a client that works, and requests that find no fault with it. */
@Tag("machine")
@EnabledIfSystemProperty(named = "boxd.test.long", matches = "true")
class GeneratedClientTest {
    private static final String CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,"
            + "response_schema_conformance,response_headers_conformance,ignored_auth";

    @SuppressWarnings("NullAway.Init")
    private static Instance instance;

    private static String server = "";

    @BeforeAll
    static void up() throws IOException {
        instance = Instance.tiny(Map.of("BOXD_QUOTA_BOXES", "8", "BOXD_RATE_LIMIT", "0"));
        for (String file : List.of("requirements.txt", "use.py")) {
            String path = "/client/" + file;
            try (InputStream in = Objects.requireNonNull(GeneratedClientTest.class.getResourceAsStream(path), path)) {
                Files.writeString(instance.folder().resolve(file), new String(in.readAllBytes(), UTF_8));
            }
        }
        instance.must("python3 -m venv v && v/bin/pip install -q -r requirements.txt");
        instance.must("./boxd up");
        server = instance.json("./boxd status --json").path("url").asString();
    }

    @AfterAll
    static void close() throws IOException {
        instance.close();
    }

    @Test
    void aClientThatAPublicGeneratorMadeWorks() {
        instance.must("v/bin/openapi-python-client generate --url " + server
                + "/openapi.json --output-path client --meta none");
        assertThat(instance.must("v/bin/python use.py " + server + " $(cat home/token)"))
                .isEqualTo("made running\nsaid 3\ncopy True\nsaid by the copy\n2\nnot_found\n");
    }

    /** Without what this tool cannot write (archives), and commands, which take the time that they take. */
    @Test
    void requestsOfAllKindsAreAnsweredAsDescribed() {
        assertThat(instance.must("v/bin/schemathesis run " + server
                        + "/openapi.json -H \"Authorization: Bearer $(cat home/token)\" --checks " + CHECKS
                        + " --exclude-path-regex '(/tree|/exec)$' --phases coverage,fuzzing --max-examples 25"
                        + " --generation-deterministic --request-timeout 60 --no-color"))
                .contains(" passed")
                .doesNotContain("FAILURES", "Errors:");
    }
}
