package io.boxd.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What passes through a box's door: files, and connections that are made from inside. */
@Tag("host")
final class PassingTest {
    private static final int FILE_BYTES = 3_000_000;

    private final TestingDoors doors = new TestingDoors();
    private final Path key = doors.keyOf("ada");

    @BeforeEach
    void open() {
        doors.house().boxes().add("task-1");
    }

    @AfterEach
    void close() {
        doors.close();
    }

    private List<String> copying(String program, String... more) {
        List<String> client = doors.client(key, "task-1");
        List<String> words = new ArrayList<>(
                List.of(program, "-P", String.valueOf(doors.doors().port())));
        words.addAll(client.subList(client.indexOf("-o"), client.size() - 1));
        words.addAll(List.of(more));
        return words;
    }

    private Path someFile() throws IOException {
        byte[] content = new byte[FILE_BYTES];
        new Random(7).nextBytes(content);
        return Files.write(doors.folder().resolve("some-file"), content);
    }

    @Test
    void filesAreCopiedByBothProtocolsOfScp() throws IOException {
        Path file = someFile();
        for (String protocol : List.of("-s", "-O")) {
            Path there = doors.folder().resolve("there" + protocol);
            Path back = doors.folder().resolve("back" + protocol);
            Command.of(copying("scp", protocol, file.toString(), "task-1@127.0.0.1:" + there))
                    .check(Deadline.inSeconds(60));
            Command.of(copying("scp", protocol, "task-1@127.0.0.1:" + there, back.toString()))
                    .check(Deadline.inSeconds(60));
            assertThat(Files.mismatch(file, back)).isEqualTo(-1);
        }
    }

    @Test
    void sftpListsRenamesAndRemoves() throws IOException {
        Path file = someFile();
        String folder = doors.folder().resolve("made").toString();
        Path batch = Files.writeString(
                doors.folder().resolve("batch"),
                "mkdir %1$s\nput %2$s %1$s/a\nrename %1$s/a %1$s/b\nsymlink b %1$s/c\nchmod 600 %1$s/b\nls -l %1$s\n"
                        .formatted(folder, file));
        String listed = Command.of(copying("sftp", "-b", batch.toString(), "task-1@127.0.0.1"))
                .check(Deadline.inSeconds(60))
                .output();
        assertThat(listed).contains("-rw-------").contains(String.valueOf(FILE_BYTES));
        assertThat(Files.readSymbolicLink(Path.of(folder, "c"))).isEqualTo(Path.of("b"));
    }

    @Test
    void connectionsAreMadeFromInsideTheBox() throws IOException {
        try (ServerSocket inside = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> answer(inside));
            int port = freePort();
            List<String> words = doors.client(key, "task-1", "-N", "-L", port + ":127.0.0.1:" + inside.getLocalPort());
            Process client = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(doors.folder().resolve("client.log").toFile())
                    .start();
            try (Socket socket = connected(port)) {
                socket.getOutputStream().write("hello".getBytes(StandardCharsets.UTF_8));
                socket.shutdownOutput();
                assertThat(socket.getInputStream().readAllBytes()).asString().isEqualTo("HELLO");
            } finally {
                client.destroy();
            }
        }
    }

    private static void answer(ServerSocket listener) {
        try (Socket socket = listener.accept()) {
            String said = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            socket.getOutputStream().write(said.toUpperCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Once the client listens. */
    private static Socket connected(int port) throws IOException {
        Deadline deadline = Deadline.inSeconds(30);
        while (true) {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
                return socket;
            } catch (IOException e) {
                socket.close();
                if (deadline.passed()) {
                    throw e;
                }
                LockSupport.parkNanos(50_000_000);
            }
        }
    }

    @Test
    void theControlDoorLeadsNowhere() {
        List<String> words = doors.client(key, "boxd", "-W", "127.0.0.1:22");
        Command.Result refused = Command.of(words).run(Deadline.inSeconds(30));
        assertThat(refused.status()).isEqualTo(255);
        assertThat(refused.errors()).contains("administratively prohibited");
    }
}
