package io.boxd.worker;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** A server that makes a box, has it work, says so, and waits to be killed. */
final class MeteredServer {
    private static final PrintStream SAID =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);

    private MeteredServer() {}

    /** Arguments: home, cache, anything. */
    public static void main(String[] arguments) throws InterruptedException {
        Path home = Path.of(arguments[0]);
        WorkerConfig config = TestingBoxes.config(home, home.resolve("registry"), Path.of(arguments[1]));
        HostBoxes boxes =
                HostBoxes.open(config, Optional.empty(), HostView.real(), BoxWitness.none(), TestingBoxes.soon());
        SAID.println("ready");
        boxes.create(TestingBoxes.order("one", TestingBoxes.AWAKE), TestingBoxes.soon());
        SAID.println("made");
        TestingBoxes.sh(boxes, "one", MetersTest.WORK);
        SAID.println("worked");
        new CountDownLatch(1).await();
    }
}
