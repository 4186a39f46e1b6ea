package io.boxd.guest.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class KernelImageTest {
    @TempDir
    private Path temporary;

    @Test
    void aKernelWithADirectEntryIsTakenOut() throws IOException {
        byte[] elf = elf(18);
        assertThat(extract(image(gzip(elf)))).isTrue();
        assertThat(temporary.resolve("kernel")).hasBinaryContent(elf);
    }

    @Test
    void oneWithoutIsLeftAsItIs() throws IOException {
        assertThat(extract(image(gzip(elf(17))))).isFalse();
        assertThat(extract(image("an unknown packing".getBytes(StandardCharsets.US_ASCII))))
                .isFalse();
    }

    @Test
    void whatIsNoKernelHasNoPayload() {
        assertThat(KernelImage.payload(new byte[4096])).isEmpty();
        assertThat(KernelImage.payload(new byte[3])).isEmpty();
        assertThat(KernelImage.hasPvhEntry(new byte[3])).isFalse();
    }

    private boolean extract(byte[] image) throws IOException {
        Path packed = Files.write(temporary.resolve("vmlinuz"), image);
        return KernelImage.extract(packed, temporary.resolve("kernel"), Deadline.inSeconds(5));
    }

    /** A self-extracting kernel as far as its header tells: one setup sector, then the payload. */
    private static byte[] image(byte[] payload) {
        ByteBuffer image = ByteBuffer.allocate(1024 + payload.length + 4).order(ByteOrder.LITTLE_ENDIAN);
        image.put(0x1f1, (byte) 1).put(0x202, "HdrS".getBytes(StandardCharsets.US_ASCII));
        image.putInt(0x248, 0).putInt(0x24c, payload.length + 4).put(1024, payload);
        return image.array();
    }

    private static byte[] elf(int noteType) {
        ByteBuffer elf = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);
        elf.putInt(0, 0x464C457F).putLong(32, 64).putShort(54, (short) 56).putShort(56, (short) 1);
        elf.putInt(64, 4).putLong(72, 128).putLong(96, 20);
        elf.putInt(128, 4).putInt(132, 4).putInt(136, noteType);
        elf.put(140, "Xen\0".getBytes(StandardCharsets.US_ASCII));
        return elf.array();
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }
}
