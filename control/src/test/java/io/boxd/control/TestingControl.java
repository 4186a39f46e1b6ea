package io.boxd.control;

import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.vmm.MachineSize;
import io.boxd.worker.SleepRules;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Control over boxes without machines, whose commands are root's in the temporary folder. */
public final class TestingControl implements AutoCloseable {
    public static final int QUOTA = 5;

    private final TestingBoxes boxes = new TestingBoxes();
    private final TestingImages images = new TestingImages();
    private final Control control = new Control(
            boxes,
            images,
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
                    new ServerFacts.Ports(1, 2),
                    Instant.EPOCH.toString(),
                    "/nowhere/authority.pem"),
            "this is a test");

    public TestingBoxes boxes() {
        return boxes;
    }

    /** Boxes and images fail like this from now on; with null, they do not. */
    public void failWith(@Nullable ErrorCode code) {
        boxes.failWith(code);
        images.failWith(code);
    }

    public Control control() {
        return control;
    }

    /** Says a verb with a JSON text; quotes may be single ones. */
    public JsonNode say(String verb, String parameters) {
        return control.call(verb, object(parameters));
    }

    /** A JSON object, written with single quotes for easier reading. */
    public static ObjectNode object(String text) {
        return (ObjectNode) Json.parse(text.replace('\'', '"'));
    }

    @Override
    public void close() {
        control.close();
        boxes.close();
    }
}
