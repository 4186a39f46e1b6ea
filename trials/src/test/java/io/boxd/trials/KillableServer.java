package io.boxd.trials;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The server of an instance, in a process that a test may end at any moment. */
final class KillableServer {
    private final Instance instance;
    private final Path facts;
    private Process process;

    /** Starts it; it answers when this returns. */
    KillableServer(Instance instance, String variables) throws IOException {
        this.instance = instance;
        this.facts = instance.home().resolve("server.json");
        process = start(variables);
    }

    private Process start(String variables) throws IOException {
        // One that was killed has left it.
        Files.deleteIfExists(facts);
        Process begun = instance.begin("env " + variables + " ./boxd serve > serve.log 2>&1");
        Instance.await("the server", () -> Files.exists(facts) || !begun.isAlive(), Deadline.inSeconds(120));
        assertThat(Files.exists(facts))
                .as("the server ended: %s", Files.readString(instance.folder().resolve("serve.log")))
                .isTrue();
        return begun;
    }

    void again(String variables) throws IOException {
        process = start(variables);
    }

    String url() throws IOException {
        return Json.parse(Files.readString(facts)).path("url").asString();
    }

    /** At once, without a chance to do anything. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
}
