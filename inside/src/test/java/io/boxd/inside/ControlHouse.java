package io.boxd.inside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.boxd.accounts.TestingAccounts;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.control.BoxStream;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.control.Credential;
import io.boxd.control.ExecutionStream;
import io.boxd.control.Happening;
import io.boxd.control.TestingControl;
import io.boxd.guest.OutputChannel;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A control as a door has it, over boxes whose commands the real agent runs; and how tests speak with it. */
abstract class ControlHouse {
    final TestingControl house = new TestingControl();

    @TempDir
    Path folder;

    /** As a door has it. */
    abstract Control control();

    @BeforeEach
    void addBox() {
        house.boxes().add("a");
    }

    @AfterEach
    void closeHouse() {
        house.close();
    }

    static Caller stranger() {
        return Caller.stranger("http", "192.0.2.7", Optional.of("rq_42"));
    }

    Caller ada() {
        return control().identify(stranger(), new Credential.Token(TestingAccounts.ADMINISTRATORS_TOKEN));
    }

    ExecutionStream exec(String fields) {
        return control().exec(ada(), TestingControl.object("{'box':'a'," + fields + "}"));
    }

    JsonNode call(String verb, String fields) {
        return control().call(ada(), verb, TestingControl.object(fields));
    }

    static Deadline soon() {
        return Deadline.inSeconds(30);
    }

    /** Everything that it says, and how it ends. */
    record Said(ByteArrayOutputStream stdout, ByteArrayOutputStream stderr, Happening.Ended ended) {}

    static Said drain(BoxStream stream) {
        ByteArrayOutputStream stdout = new ByteArrayOutputStream();
        ByteArrayOutputStream stderr = new ByteArrayOutputStream();
        while (true) {
            switch (stream.next(soon())) {
                case Happening.Output(OutputChannel channel, var data) -> {
                    byte[] bytes = new byte[data.remaining()];
                    data.get(bytes);
                    (channel == OutputChannel.STDOUT ? stdout : stderr).writeBytes(bytes);
                }
                case Happening.Ended ended -> {
                    return new Said(stdout, stderr, ended);
                }
                case Happening.Skipped(long to) -> throw new AssertionError("skipped to " + to);
                case Happening.Nothing() -> throw new AssertionError("nothing came; until then: " + stdout);
            }
        }
    }

    static byte[] random(int count) {
        byte[] bytes = new byte[count];
        new Random(7).nextBytes(bytes);
        return bytes;
    }

    static BoxdException failure(org.assertj.core.api.ThrowableAssert.ThrowingCallable deed) {
        return catchThrowableOfType(BoxdException.class, deed);
    }

    void awaitNoHold() {
        Deadline deadline = soon();
        while (house.boxes().openHolds() > 0) {
            assertThat(deadline.passed()).as("nobody holds the box").isFalse();
            Thread.onSpinWait();
        }
    }
}
