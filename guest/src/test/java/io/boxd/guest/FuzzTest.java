package io.boxd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mutated bytes of a machine: whatever arrives is a message or a {@link ProtocolException}.
 *
 * <p>A million inputs; {@code -Dboxd.fuzz.seconds=N} makes it go on, {@code -Dboxd.fuzz.seed=N} starts it
 * elsewhere.
 */
@Tag("unit")
class FuzzTest {
    private static final int TAG = 0x01020304;
    private static final long INPUTS = 1_000_000;
    /** The decoder's buffer, the message and its texts; nothing that an input could make larger. */
    private static final long MAX_BYTES_PER_INPUT = 300_000;

    private static List<byte[]> corpus() {
        FrameEncoder encoder = new FrameEncoder(TAG);
        List<byte[]> corpus = new ArrayList<>();
        corpus.add(encoder.frame(Wire.PONG, 1, new byte[0]));
        corpus.add(encoder.frame(Wire.STARTED, 1, new byte[] {0, 0, 1, 2}));
        corpus.add(encoder.frame(
                Wire.REFUSED,
                1,
                new PayloadWriter().u32(2).text("no such user", 100).toBytes()));
        corpus.add(encoder.frame(Wire.STDOUT, 1, new byte[200]));
        corpus.add(encoder.frame(Wire.STDERR, 2, new byte[5]));
        corpus.add(encoder.frame(Wire.STDIN_CREDIT, 1, new byte[] {0, 1, 0, 0}));
        corpus.add(encoder.frame(Wire.EXITED, 1, new byte[] {7}));
        corpus.add(encoder.frame(Wire.KILLED, 1, new byte[] {9, 1}));
        corpus.add(encoder.frame(
                Wire.STEP,
                1,
                new PayloadWriter().text("rng", 100).u32(0).text("ü", 100).toBytes()));
        corpus.add(encoder.frame(Wire.RENEW_DONE, 1, new byte[8]));
        corpus.add(encoder.frame(Wire.GROWN, 1, new byte[8]));
        corpus.add(encoder.frame(Wire.OPENED, 1, new byte[20]));
        corpus.add(encoder.frame(Wire.DATA_OUT, 1, new byte[200]));
        corpus.add(encoder.frame(Wire.DATA_OUT_END, 1, new byte[0]));
        corpus.add(encoder.frame(Wire.DATA_IN_CREDIT, 1, new byte[] {0, 1, 0, 0}));
        corpus.add(encoder.frame(Wire.DONE, 1, new byte[8]));
        corpus.add(encoder.frame(
                Wire.FAULT, 0, new PayloadWriter().text("why", 100).toBytes()));
        corpus.add(encoder.frame(
                Wire.ATTACHED,
                1,
                new PayloadWriter().u64(5).u64(9).u32(77).u8(2).toBytes()));
        corpus.add(encoder.frame(Wire.EXECUTIONS, 1, executions()));
        corpus.add(encoder.frame(Wire.DONE, 1, new byte[0]));
        corpus.add(encoder.frame(Wire.SKIPPED, 1, new byte[8]));
        corpus.add(encoder.frame(Wire.LEASE_LIST, 1, leases()));
        corpus.add(encoder.frame(Wire.LEASES_CHANGED, 0, leases()));
        corpus.add(new byte[64]);
        return corpus;
    }

    private static byte[] executions() {
        PayloadWriter writer = new PayloadWriter().u8(1).u16(2);
        for (int state = 1; state <= 2; state++) {
            writer.bytes(new byte[Wire.EXECUTION_ID_BYTES])
                    .u64(state)
                    .u32(4711)
                    .u8(state)
                    .u8(9)
                    .u8(7)
                    .u16(1)
                    .text("sh -c true", 100)
                    .text("root", 100);
            for (int i = 0; i < 8; i++) {
                writer.u64(1_700_000_000_000_000_000L >> i);
            }
            writer.u32(28);
        }
        return writer.toBytes();
    }

    private static byte[] leases() {
        return new PayloadWriter()
                .u16(1)
                .text("build", 100)
                .u32(1000)
                .u32(77)
                .u64(60_000)
                .u8(1)
                .toBytes();
    }

    private static byte[] mutated(List<byte[]> corpus, SplittableRandom random) {
        byte[] first = corpus.get(random.nextInt(corpus.size()));
        byte[] second = corpus.get(random.nextInt(corpus.size()));
        int keep = random.nextInt(4) == 0 ? random.nextInt(first.length + 1) : first.length;
        byte[] bytes = ByteBuffer.allocate(keep + second.length)
                .put(first, 0, keep)
                .put(second)
                .array();
        for (int i = random.nextInt(4); i > 0 && bytes.length > 0; i--) {
            int at = random.nextInt(bytes.length);
            bytes[at] = random.nextBoolean() ? (byte) random.nextInt() : (byte) (bytes[at] ^ 1 << random.nextInt(8));
        }
        return bytes;
    }

    @Test
    void aMutatedStreamIsAMessageOrAProtocolError() {
        long seed = Long.getLong("boxd.fuzz.seed", 0x626f7864L);
        long end = System.nanoTime() + Long.getLong("boxd.fuzz.seconds", 0L) * 1_000_000_000L;
        SplittableRandom random = new SplittableRandom(seed);
        List<byte[]> corpus = corpus();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long inputs = 0;
        long messages = 0;
        while (inputs < INPUTS || System.nanoTime() < end) {
            byte[] bytes = mutated(corpus, random);
            long before = inputs % 1000 == 999 ? threads.getCurrentThreadAllocatedBytes() : -1;
            try {
                messages += feed(bytes, random);
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError("seed " + seed + ", input " + inputs, e);
            }
            if (before >= 0) {
                assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(MAX_BYTES_PER_INPUT);
            }
            inputs++;
        }
        assertThat(messages).isGreaterThan(INPUTS / 2);
    }

    private static int feed(byte[] bytes, SplittableRandom random) {
        int[] messages = new int[1];
        FrameDecoder decoder = new FrameDecoder(TAG);
        int cut = random.nextInt(bytes.length + 1);
        try {
            FrameDecoder.Sink sink = frame -> {
                AgentMessage.parse(frame);
                messages[0]++;
            };
            decoder.feed(ByteBuffer.wrap(bytes, 0, cut), sink);
            decoder.feed(ByteBuffer.wrap(bytes, cut, bytes.length - cut), sink);
        } catch (ProtocolException e) {
            // The one allowed way to say no.
            return messages[0];
        }
        return messages[0];
    }
}
