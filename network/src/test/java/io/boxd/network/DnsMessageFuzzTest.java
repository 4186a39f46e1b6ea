package io.boxd.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever the bytes are, reading them ends, and what is sent on is what came. */
@Tag("unit")
class DnsMessageFuzzTest {
    private static final long SECONDS = Long.getLong("boxd.fuzz.seconds", 1);

    @Test
    void noBytesAreTooStrange() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Deadline deadline = Deadline.inSeconds(SECONDS);
        byte[] model = ResolverTest.query(1, "name.of.some.length.example.org");
        while (!deadline.passed()) {
            byte[] bytes = random.nextBoolean() ? mutated(model, random) : noise(random);
            byte[] before = bytes.clone();
            try {
                check(bytes);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ", bytes " + Arrays.toString(before), e);
            }
            assertThat(bytes).isEqualTo(before);
        }
    }

    private static void check(byte[] bytes) {
        Optional<DnsMessage> parsed = DnsMessage.parse(bytes);
        parsed.ifPresent(message -> {
            byte[] renamed = message.withId(0xabcd);
            assertThat(DnsMessage.parse(renamed)).map(DnsMessage::id).contains(0xabcd);
            assertThat(renamed).hasSize(bytes.length);
            assertThat(Arrays.copyOfRange(renamed, 2, bytes.length))
                    .isEqualTo(Arrays.copyOfRange(bytes, 2, bytes.length));
        });
        if (DnsMessage.isQuery(bytes)) {
            byte[] error = DnsMessage.error(bytes, DnsMessage.SERVER_FAILURE);
            assertThat(error.length).isBetween(12, bytes.length);
            assertThat(error[3] & 0xf).isEqualTo(DnsMessage.SERVER_FAILURE);
            parsed.ifPresent(message -> assertThat(DnsMessage.parse(error))
                    .hasValueSatisfying(answer ->
                            assertThat(answer.answers(message, message.id())).isTrue()));
        }
    }

    private static byte[] mutated(byte[] model, Random random) {
        byte[] bytes = Arrays.copyOf(model, 12 + random.nextInt(model.length));
        for (int i = random.nextInt(4); i > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return bytes;
    }

    private static byte[] noise(Random random) {
        byte[] bytes = new byte[random.nextInt(64)];
        random.nextBytes(bytes);
        return bytes;
    }
}
