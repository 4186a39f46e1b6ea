package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
@Timeout(60)
class ConsoleLogTest {
    private static final int SLACK = 16 << 10;
    private static final int UNBOUNDED_RATE = 1 << 30;

    @TempDir
    Path folder;

    private ServerSocketChannel server;
    private SocketChannel machine;
    private SocketChannel ours;

    @BeforeEach
    void connect() throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("s"));
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(address);
        ours = SocketChannel.open(address);
        machine = server.accept();
    }

    @AfterEach
    void disconnect() throws IOException {
        ours.close();
        machine.close();
        server.close();
    }

    @Test
    void keepsWhatTheMachineSays() throws IOException {
        try (ConsoleLog log = ConsoleLog.follow(ours, file())) {
            say("booting\n\n\u001b[1mall well\n \n");
            await(() -> log.tail().endsWith("well\n \n"));
            assertThat(log.tail()).startsWith("booting");
            assertThat(log.lastLine()).isEqualTo("\\u001b[1mall well");
            assertThat(log.showsPanic()).isFalse();
            say("[1.0] Kernel panic - not syncing: too bad\n[1.1] Kernel Offset: disabled\n");
            await(() -> log.tail().endsWith("disabled\n"));
            assertThat(log.lastLine()).isEqualTo("[1.0] Kernel panic - not syncing: too bad");
            assertThat(log.showsPanic()).isTrue();
            await(() -> size(file()) == log.tail().length());
            assertThat(log.dropped()).isZero();
        }
    }

    @Test
    void theTailIsTheEnd() throws IOException {
        try (ConsoleLog log = ConsoleLog.follow(ours, file())) {
            for (int i = 0; i < 20_000; i++) {
                say("line " + i + "\n");
            }
            await(() -> log.tail().endsWith("line 19999\n"));
            assertThat(log.tail()).hasSize(16 << 10);
            assertThat(log.tail().lines().skip(1).findFirst())
                    .hasValueSatisfying(line -> assertThat(line).startsWith("line 18"));
        }
    }

    /** A flood is read at once, so that it blocks nobody, and hardly any of it reaches the disk. */
    @Test
    void aFloodIsReadButNotKept() throws IOException {
        long start = System.nanoTime();
        long flood = 64L << 20;
        try (ConsoleLog log = ConsoleLog.follow(ours, file())) {
            flood(flood);
            say("the end");
            await(() -> log.tail().endsWith("the end"));
            long seconds = 2 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
            long kept = flood + 7 - log.dropped();
            assertThat(kept).isLessThanOrEqualTo(seconds * ConsoleLog.KEPT_BYTES_PER_SECOND);
            assertThat(kept).isPositive();
            assertThat(size(file()) + size(older())).isLessThanOrEqualTo(kept);
        }
    }

    @Test
    void filesAreBoundedAndTheOlderHalfIsBeside() throws IOException {
        try (ConsoleLog log = ConsoleLog.follow(ours, file(), UNBOUNDED_RATE)) {
            flood(3L << 20);
            say("the end");
            await(() -> log.tail().endsWith("the end"));
            assertThat(log.dropped()).isZero();
            ours.close();
            await(() -> endsWithTheEnd());
            assertThat(size(file())).isLessThanOrEqualTo(ConsoleLog.MAX_FILE_BYTES + SLACK);
            assertThat(size(older()))
                    .isGreaterThan(ConsoleLog.MAX_FILE_BYTES)
                    .isLessThanOrEqualTo(ConsoleLog.MAX_FILE_BYTES + SLACK);
        }
    }

    /** A full disk must not stop the reading, or the machine would stand still with its console. */
    @Test
    void goesOnReadingWithoutAFile() throws IOException {
        Path impossible = folder.resolve("missing").resolve("console.log");
        try (ConsoleLog log = ConsoleLog.follow(ours, impossible)) {
            flood(1L << 20);
            say("still here");
            await(() -> log.tail().endsWith("still here"));
        }
    }

    @Test
    void endsWithTheMachine() throws IOException {
        try (ConsoleLog log = ConsoleLog.follow(ours, file())) {
            say("bye");
            machine.close();
            await(() -> !ours.isOpen());
            assertThat(log.tail()).isEqualTo("bye");
        }
    }

    @Test
    void closingHangsUp() throws IOException {
        ConsoleLog log = ConsoleLog.follow(ours, file());
        log.close();
        log.close();
        assertThat(machine.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }

    private boolean endsWithTheEnd() {
        try {
            return Files.readString(Files.exists(file()) ? file() : older(), StandardCharsets.ISO_8859_1)
                    .endsWith("the end");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void say(String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            machine.write(bytes);
        }
    }

    private void flood(long bytes) throws IOException {
        byte[] chunk = new byte[1 << 16];
        Arrays.fill(chunk, (byte) 'x');
        for (long sent = 0; sent < bytes; ) {
            sent += machine.write(ByteBuffer.wrap(chunk));
        }
    }

    private Path file() {
        return folder.resolve("console.log");
    }

    private Path older() {
        return folder.resolve("console.log.1");
    }

    private static long size(Path file) {
        try {
            return Files.exists(file) ? Files.size(file) : 0;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(BooleanSupplier condition) {
        Deadline deadline = Deadline.inSeconds(30);
        while (!condition.getAsBoolean()) {
            assertThat(deadline.passed()).as("waited too long").isFalse();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }
}
