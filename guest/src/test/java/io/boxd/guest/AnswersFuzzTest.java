package io.boxd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mutated answers of a machine's helpers: each is an answer or a {@link ProtocolException}.
 *
 * <p>A million inputs; {@code -Dboxd.fuzz.seconds=N} makes it go on, {@code -Dboxd.fuzz.seed=N} starts it
 * elsewhere.
 */
@Tag("unit")
class AnswersFuzzTest {
    private static final long INPUTS = 1_000_000;

    private record Answer(Records.Parser<?> parser, GuestBytes example) {
        Answer(Records.Parser<?> parser, PayloadWriter example) {
            this(parser, GuestBytes.of(example.toBytes()));
        }
    }

    private static PayloadWriter attributes(PayloadWriter writer) {
        return writer.u8(3)
                .u32(0777)
                .u32(1000)
                .u32(1000)
                .u64(7)
                .u64(4096)
                .u64(1)
                .u64(42)
                .u64(1_700_000_000)
                .u32(5)
                .u64(Long.MIN_VALUE)
                .u32(0)
                .u64(Long.MAX_VALUE)
                .u32(999_999_999)
                .text("boxd", 256)
                .text("", 256)
                .text("../elsewhere", 256);
    }

    private static PayloadWriter room(PayloadWriter writer) {
        for (int i = 0; i < 7; i++) {
            writer.u64(4096L << i);
        }
        return writer.flag(true);
    }

    private static PayloadWriter metrics() {
        PayloadWriter writer = new PayloadWriter();
        for (int i = 0; i < 8; i++) {
            writer.u64(1000 + i);
        }
        writer.u32(100).u32(2).u64(4711).u32(10).u32(20).u32(30).u32(99);
        for (int i = 0; i < 10; i++) {
            writer.u64(1L << 30);
        }
        return room(writer.u8(1).text("/", 256));
    }

    private static List<Answer> answers() {
        PayloadWriter port = new PayloadWriter()
                .u8(1)
                .u8(4)
                .bytes(new byte[16])
                .u16(8080)
                .u32(0)
                .u32(1)
                .text("httpd", 64);
        PayloadWriter change = new PayloadWriter().u8(8).flag(true).u32(7).text("a/b", 256);
        return List.of(
                new Answer(FileAttributes::parse, attributes(new PayloadWriter())),
                new Answer(FolderEntry::parse, attributes(new PayloadWriter().text("name", 256))),
                new Answer(FileSystemRoom::parse, room(new PayloadWriter())),
                new Answer(MachineMetrics::parse, metrics()),
                new Answer(PortEvent::parse, port),
                new Answer(FileChange::parse, change));
    }

    @Test
    void aMutatedAnswerIsAnAnswerOrAProtocolError() {
        long seed = Long.getLong("boxd.fuzz.seed", 0x626f7864L);
        long end = System.nanoTime() + Long.getLong("boxd.fuzz.seconds", 0L) * 1_000_000_000L;
        SplittableRandom random = new SplittableRandom(seed);
        List<Answer> answers = answers();
        long inputs = 0;
        long understood = 0;
        while (inputs < INPUTS || System.nanoTime() < end) {
            Answer answer = answers.get(random.nextInt(answers.size()));
            byte[] bytes = mutated(answer.example().toArray(), random);
            try {
                understood += isUnderstood(answer.parser(), bytes) ? 1 : 0;
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError("seed " + seed + ", input " + inputs, e);
            }
            inputs++;
        }
        assertThat(understood).isGreaterThan(INPUTS / 4);
    }

    @Test
    void theExamplesAreUnderstood() {
        for (Answer answer : answers()) {
            assertThat(isUnderstood(answer.parser(), answer.example().toArray()))
                    .isTrue();
        }
    }

    private static boolean isUnderstood(Records.Parser<?> parser, byte[] bytes) {
        try {
            PayloadReader reader = new PayloadReader(ByteBuffer.wrap(bytes));
            assertThat(parser.parse(reader)).isNotNull();
            reader.end();
            return true;
        } catch (ProtocolException e) {
            // The one allowed way to say no.
            return false;
        }
    }

    private static byte[] mutated(byte[] example, SplittableRandom random) {
        int length = random.nextInt(8) == 0 ? random.nextInt(example.length + 4) : example.length;
        byte[] bytes = Arrays.copyOf(example, length);
        for (int i = random.nextInt(4); i > 0 && bytes.length > 0; i--) {
            int at = random.nextInt(bytes.length);
            bytes[at] = random.nextBoolean() ? (byte) random.nextInt() : (byte) (bytes[at] ^ 1 << random.nextInt(8));
        }
        return bytes;
    }
}
