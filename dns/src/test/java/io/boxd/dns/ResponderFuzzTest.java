package io.boxd.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Type;

/** Whatever the bytes are: an answer that others can read and that is hardly longer, or none. */
@Tag("unit")
final class ResponderFuzzTest {
    private static final long SECONDS = Long.getLong("boxd.fuzz.seconds", 1);
    /** What the longest answer to a question has more than it: the records of this zone. */
    private static final int MOST_ADDED = 160;

    private static final List<byte[]> MODELS = List.of(
            Questions.question("some-name.boxes.example", Type.A).toWire(),
            Questions.question("boxes.example", Type.NS).toWire(),
            Questions.extended(Questions.question("_acme-challenge.boxes.example", Type.TXT), 4096, 0)
                    .toWire(),
            Questions.extended(Questions.question("a.b.c.boxes.example", Type.ANY), 1232, 0)
                    .toWire());

    @Test
    void noBytesAreTooStrange() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Deadline deadline = Deadline.inSeconds(SECONDS);
        Responder responder = Questions.responder(new Challenges());
        while (!deadline.passed()) {
            byte[] bytes = random.nextInt(8) == 0 ? noise(random) : mutated(random);
            try {
                check(responder, bytes);
            } catch (RuntimeException | AssertionError | StackOverflowError e) {
                throw new AssertionError(
                        "seed " + seed + ", bytes " + HexFormat.of().formatHex(bytes), e);
            }
        }
    }

    private static void check(Responder responder, byte[] bytes) {
        for (Transport transport : Transport.values()) {
            responder.answer(bytes, transport).ifPresent(answer -> {
                Message parsed = Questions.parse(answer);
                assertThat(parsed.getHeader().getFlag(Flags.QR)).isTrue();
                assertThat(answer[0]).isEqualTo(bytes[0]);
                assertThat(answer[1]).isEqualTo(bytes[1]);
                assertThat(answer.length).isLessThanOrEqualTo(bytes.length + MOST_ADDED);
            });
        }
        responder.comeByTcp(bytes).ifPresent(answer -> {
            assertThat(Questions.parse(answer).getHeader().getFlag(Flags.TC)).isTrue();
            assertThat(answer.length).isLessThanOrEqualTo(bytes.length);
        });
    }

    private static byte[] noise(Random random) {
        byte[] bytes = new byte[random.nextInt(Responder.LONGEST_QUERY)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] mutated(Random random) {
        byte[] model = MODELS.get(random.nextInt(MODELS.size()));
        byte[] bytes = random.nextBoolean() ? model.clone() : Arrays.copyOf(model, random.nextInt(model.length + 40));
        for (int i = random.nextInt(5); i > 0 && bytes.length > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return bytes;
    }
}
