package io.boxd.guest.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class Lz4Test {
    @Test
    void literalsAndOverlappingMatchesComeOut() throws IOException {
        // Two literals "ab", then a match of 6 at distance 2, then the literal "c".
        byte[] block = {0x22, 'a', 'b', 2, 0, 0x10, 'c'};
        assertThat(new String(Lz4.decode(packed(block)), StandardCharsets.US_ASCII))
                .isEqualTo("ababababc");
    }

    @Test
    void aRunOfOneByteAndLongLengthsComeOut() throws IOException {
        // One literal, then a match of 15 + 255 + 10 + 4 at distance 1.
        byte[] block = {0x1f, 'z', 1, 0, (byte) 255, 10, 0x10, '.'};
        assertThat(new String(Lz4.decode(packed(block)), StandardCharsets.US_ASCII))
                .isEqualTo("z".repeat(285) + ".");
    }

    @Test
    void damageIsAnErrorAndNotGarbage() {
        byte[] block = {0x22, 'a', 'b', 9, 0, 0x10, 'c'};
        assertThatThrownBy(() -> Lz4.decode(packed(block))).isInstanceOf(IOException.class);
    }

    /** The container as the kernel's build makes it: magic, length, block, and the unpacked size last. */
    private static byte[] packed(byte[] block) {
        return ByteBuffer.allocate(block.length + 12)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(Lz4.MAGIC)
                .putInt(block.length)
                .put(block)
                .putInt(1 << 24)
                .array();
    }
}
