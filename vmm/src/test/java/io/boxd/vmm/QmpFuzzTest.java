package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever a process that a guest has taken over may say: it is understood or refused, never worse. */
@Tag("unit")
final class QmpFuzzTest {
    private static final int LINES_PER_STREAM = 200;
    private static final long LEAST_BYTES = 1_000_000;
    private static final int MAX_LINE_BYTES = 1 << 16;

    private static final List<byte[]> SEEDS = List.of(
            bytes("{\"QMP\":{\"version\":{\"qemu\":{\"minor\":2,\"major\":7}},\"capabilities\":[\"oob\"]}}"),
            bytes("{\"return\":{\"status\":\"running\",\"running\":true},\"id\":3}"),
            bytes("{\"error\":{\"class\":\"GenericError\",\"desc\":\"no \\u001b room\"},\"id\":7}"),
            bytes("{\"timestamp\":{\"seconds\":1,\"microseconds\":2},\"event\":\"STOP\"}"),
            bytes("{\"event\":\"MIGRATION\",\"data\":{\"status\":\"completed\"}}"),
            bytes("{\"event\":\"SHUTDOWN\",\"data\":{\"guest\":true,\"reason\":\"guest-reset\"}}"),
            bytes("{\"return\":[{\"qdev\":\"/x/disk\",\"stats\":{\"wr_operations\":17,\"rd\":-1.5e3}}],\"id\":1}"));

    private static final byte[] LETTERS = bytes("{}[]\",:\\u0123456789-+eE.truefalsn \té\u0000QMPidevnt");

    @Test
    void nothingElseEscapes() throws Exception {
        // On a thread of its own, as the real reader: errors are many, and cost by the depth of the stack.
        CompletableFuture<Totals> fuzzed = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                fuzzed.complete(fuzz());
            } catch (AssertionError e) {
                fuzzed.completeExceptionally(e);
            }
        });
        Totals totals = fuzzed.get();
        assertThat(totals.understood).as("lines understood").isGreaterThan(1000);
        assertThat(totals.refused).as("lines refused").isGreaterThan(1000);
        assertThat(totals.events).as("events").isGreaterThan(1000);
        assertThat(totals.overlong).as("streams with an overlong line").isPositive();
        assertThat(totals.longest).as("longest line").isLessThanOrEqualTo(MAX_LINE_BYTES);
    }

    private static Totals fuzz() {
        long seed = Long.getLong("boxd.fuzz.seed", System.nanoTime());
        Deadline deadline = Deadline.inSeconds(Long.getLong("boxd.fuzz.seconds", 1));
        Totals totals = new Totals();
        for (long round = seed; totals.bytes < LEAST_BYTES || !deadline.passed(); round++) {
            try (SocketChannel unconnected = SocketChannel.open()) {
                feed(new Random(round), unconnected, totals);
            } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError e) {
                throw new AssertionError("repeat with -Dboxd.fuzz.seed=" + round, e);
            }
        }
        return totals;
    }

    private static final class Totals {
        long bytes;
        long understood;
        long refused;
        long events;
        long overlong;
        int longest;
    }

    /** One stream of lines; unlike the real reader, which hangs up, it goes on after a refusal. */
    private static void feed(Random random, SocketChannel unconnected, Totals totals) {
        Deque<QmpEvent> events = new ArrayDeque<>();
        Qmp qmp = new Qmp(unconnected, events::add);
        LineReader lines = new LineReader(new TestingChannel(stream(random), 1 + random.nextInt(9000)), MAX_LINE_BYTES);
        try {
            for (String line = lines.next(); line != null; line = lines.next()) {
                totals.bytes += line.length();
                totals.longest = Math.max(totals.longest, line.length());
                try {
                    qmp.receive(line);
                    totals.understood++;
                } catch (BoxdException e) {
                    totals.refused++;
                }
            }
        } catch (IOException e) {
            totals.overlong++;
        }
        totals.events += events.size();
    }

    private static byte[] stream(Random random) {
        Bytes out = new Bytes();
        for (int line = 0; line < LINES_PER_STREAM; line++) {
            int start = out.length;
            out.append(SEEDS.get(random.nextInt(SEEDS.size())));
            for (int i = random.nextInt(5); i > 0; i--) {
                mutate(random, out, start);
            }
            out.append((byte) '\n');
        }
        if (random.nextInt(10) == 0) {
            for (int i = 0; i <= MAX_LINE_BYTES; i++) {
                out.append((byte) '[');
            }
        }
        return out.toArray();
    }

    private static void mutate(Random random, Bytes out, int start) {
        int length = out.length - start;
        int at = length == 0 ? start : start + random.nextInt(length);
        switch (random.nextInt(5)) {
            case 0 -> out.set(at, LETTERS[random.nextInt(LETTERS.length)]);
            case 1 -> out.set(at, (byte) random.nextInt(256));
            case 2 -> out.length = at;
            case 3 -> out.append(SEEDS.get(random.nextInt(SEEDS.size())));
            default -> {
                for (int i = random.nextInt(80); i > 0; i--) {
                    out.append(LETTERS[random.nextInt(LETTERS.length)]);
                }
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Bytes that grow. */
    private static final class Bytes {
        private byte[] data = new byte[1 << 16];
        private int length;

        void append(byte... more) {
            if (length + more.length > data.length) {
                data = java.util.Arrays.copyOf(data, Math.max(data.length * 2, length + more.length));
            }
            System.arraycopy(more, 0, data, length, more.length);
            length += more.length;
        }

        void set(int at, byte value) {
            if (at < length) {
                data[at] = value;
            }
        }

        byte[] toArray() {
            return java.util.Arrays.copyOf(data, length);
        }
    }
}
