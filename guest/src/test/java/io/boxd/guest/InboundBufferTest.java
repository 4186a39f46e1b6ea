package io.boxd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class InboundBufferTest {
    private final AtomicInteger credit = new AtomicInteger();
    private final InboundBuffer buffer = new InboundBuffer(credit::addAndGet);

    @Test
    void keepsTheOrderOfBytesThroughAllSizes() throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        int written = 0;
        int read = 0;
        while (read < 3_000_000) {
            int room = Wire.WINDOW_BYTES + credit.get() - written;
            byte[] chunk = new byte[Math.min(room, random.nextInt(1, 60_000))];
            for (int i = 0; i < chunk.length; i++) {
                chunk[i] = (byte) (written + i);
            }
            buffer.put(ByteBuffer.wrap(chunk));
            written += chunk.length;
            byte[] target = new byte[random.nextInt(1, 60_000)];
            int count = buffer.available() == 0 ? 0 : buffer.read(target, 0, target.length);
            for (int i = 0; i < count; i++) {
                assertThat(target[i]).isEqualTo((byte) (read + i));
            }
            read += count;
        }
    }

    @Test
    void refusesMoreThanItsWindow() throws ProtocolException {
        buffer.put(ByteBuffer.allocate(Wire.WINDOW_BYTES));
        assertThatThrownBy(() -> buffer.put(ByteBuffer.allocate(1))).isInstanceOf(ProtocolException.class);
        assertThat(credit.get()).isZero();
    }

    @Test
    void aClosedBufferTakesEverything() throws IOException {
        buffer.put(ByteBuffer.allocate(100_000));
        buffer.close();
        assertThat(credit.get()).isEqualTo(100_000);
        for (int i = 0; i < 100; i++) {
            buffer.put(ByteBuffer.allocate(100_000));
        }
        assertThat(buffer.read()).isEqualTo(-1);
    }

    @Test
    void endsBehindWhatWasThere() throws IOException {
        buffer.put(ByteBuffer.wrap(new byte[] {5, -1}));
        buffer.end();
        assertThat(buffer.read()).isEqualTo(5);
        assertThat(buffer.read()).isEqualTo(255);
        assertThat(buffer.read()).isEqualTo(-1);
        assertThat(buffer.read(new byte[3], 1, 0)).isZero();
    }
}
