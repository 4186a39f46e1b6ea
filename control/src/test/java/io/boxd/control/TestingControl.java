package io.boxd.control;

import io.boxd.chronicle.Chronicle;
import io.boxd.common.Json;
import io.boxd.linux.FileOwner;
import io.boxd.vmm.MachineSize;
import io.boxd.worker.SleepRules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Control over boxes without machines, whose commands are root's in the temporary folder. */
public final class TestingControl implements AutoCloseable {
    public static final int QUOTA = 5;
    public static final Caller CALLER = Caller.local("test", "127.0.0.1", Optional.empty());

    private final TestingBoxes boxes = new TestingBoxes();
    private final Path home;
    private final Chronicle chronicle;
    private final Control control;

    public TestingControl() {
        try {
            home = Files.createTempDirectory("boxd-control-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        chronicle = Chronicle.open(home, BoxEvents::body, _ -> true);
        control = new Control(
                boxes,
                new TestingImages(),
                chronicle,
                new Settings(
                        "base",
                        new MachineSize(2, 1L << 30, 4L << 30),
                        new SleepRules(Duration.ofSeconds(30), Duration.ofMinutes(10)),
                        QUOTA,
                        "here",
                        "tcg",
                        "",
                        System.getProperty("java.io.tmpdir")),
                () -> new ServerFacts(
                        1,
                        "test",
                        "http://127.0.0.1:1",
                        "/nowhere",
                        "tcg",
                        new ServerFacts.Ports(1),
                        Instant.EPOCH.toString()),
                "this is a test");
    }

    public TestingBoxes boxes() {
        return boxes;
    }

    public Chronicle chronicle() {
        return chronicle;
    }

    public Control control() {
        return control;
    }

    /** Says a verb with a JSON text; quotes may be single ones. */
    public JsonNode say(String verb, String parameters) {
        return control.call(CALLER, verb, object(parameters));
    }

    /** A JSON object, written with single quotes for easier reading. */
    public static ObjectNode object(String text) {
        return (ObjectNode) Json.parse(text.replace('\'', '"'));
    }

    @Override
    public void close() {
        control.close();
        boxes.close();
        chronicle.close();
        FileOwner.deleteTree(home);
    }
}
