package io.boxd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class FrameDecoderTest {
    private static final int TAG = 0x05060708;
    private final FrameEncoder encoder = new FrameEncoder(TAG);

    private static List<String> decode(byte[] bytes, int step) throws ProtocolException {
        List<String> found = new ArrayList<>();
        FrameDecoder decoder = new FrameDecoder(TAG);
        for (int at = 0; at < bytes.length; at += step) {
            ByteBuffer piece = ByteBuffer.wrap(bytes, at, Math.min(step, bytes.length - at));
            decoder.feed(
                    piece,
                    frame -> found.add(frame.type() + ":" + frame.stream() + ":"
                            + frame.payload().remaining()));
            assertThat(piece.hasRemaining()).isFalse();
        }
        return found;
    }

    private static byte[] join(byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteBuffer joined = ByteBuffer.allocate(length);
        for (byte[] part : parts) {
            joined.put(part);
        }
        return joined.array();
    }

    @Test
    void cutsFramesWhereverTheBytesAreSplit() throws ProtocolException {
        byte[] bytes = join(
                encoder.frame(Wire.PONG, 1, new byte[0]),
                encoder.frame(Wire.STDOUT, -2, new byte[Wire.MAX_PAYLOAD_BYTES]),
                encoder.frame(Wire.EXITED, 3, new byte[1]));
        for (int step : new int[] {1, 3, 1000, 70_000}) {
            assertThat(decode(bytes, step)).containsExactly("130:1:0", "133:-2:65511", "136:3:1");
        }
    }

    @Test
    void skipsPaddingOfAnyLength() throws ProtocolException {
        for (int padding = 4; padding < 12; padding++) {
            byte[] bytes = join(new byte[padding], encoder.frame(Wire.PONG, 1, new byte[0]));
            assertThat(decode(bytes, 5)).containsExactly("130:1:0");
        }
    }

    @Test
    void refusesLengthsAndTagsThatCannotBe() {
        assertThatThrownBy(() -> decode(new byte[] {0, 0, -1, -15}, 4)).hasMessageContaining("claims 65521 bytes");
        assertThatThrownBy(() -> decode(new byte[] {-1, 0, 0, 0}, 4)).hasMessageContaining("claims 4278190080 bytes");
        assertThatThrownBy(() -> decode(new byte[] {0, 0, 0, 8}, 1)).isInstanceOf(ProtocolException.class);
        byte[] foreign = new FrameEncoder(TAG + 1).frame(Wire.PONG, 1, new byte[0]);
        assertThatThrownBy(() -> decode(foreign, 100)).hasMessageContaining("another session");
    }

    @Test
    void splitsLongRequests() {
        List<byte[]> frames = encoder.exec(1, new byte[2 * Wire.MAX_PAYLOAD_BYTES + 1]);
        assertThat(frames).hasSize(3);
        assertThat(frames)
                .extracting(frame -> (int) frame[4])
                .containsExactly(Wire.EXEC_PART, Wire.EXEC_PART, Wire.EXEC);
        assertThat(encoder.exec(1, new byte[Wire.MAX_PAYLOAD_BYTES])).hasSize(1);
    }
}
