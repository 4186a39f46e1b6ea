package io.boxd.guest.image;

import io.boxd.common.Deadline;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * Takes the bare kernel out of a distribution's self-extracting one.
 *
 * <p>QEMU enters an ELF kernel directly through its PVH note; unpacking inside the guest would cost one of the three
 * seconds that a small machine boots in emulation.
 */
final class KernelImage {
    private static final int SETUP_SECTORS = 0x1f1;
    private static final int HEADER_MAGIC = 0x202;
    private static final int PAYLOAD = 0x248;
    private static final int ELF_MAGIC = 0x464C457F;

    private KernelImage() {}

    /** Writes the ELF kernel to the target, or says that this one has to boot as it is. */
    static boolean extract(Path bzImage, Path target, Deadline deadline) throws IOException {
        Optional<byte[]> payload = payload(Files.readAllBytes(bzImage));
        if (payload.isEmpty()) {
            return false;
        }
        Files.deleteIfExists(target);
        unpack(payload.get(), target, deadline);
        return Files.exists(target) && hasPvhEntry(Files.readAllBytes(target));
    }

    static Optional<byte[]> payload(byte[] image) {
        ByteBuffer header = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
        if (image.length < PAYLOAD + 8
                || !new String(image, HEADER_MAGIC, 4, StandardCharsets.US_ASCII).equals("HdrS")) {
            return Optional.empty();
        }
        int sectors = image[SETUP_SECTORS] == 0 ? 4 : image[SETUP_SECTORS] & 0xff;
        int start = (sectors + 1) * 512 + header.getInt(PAYLOAD);
        int length = header.getInt(PAYLOAD + 4);
        return length <= 4 || start < 0 || start > image.length - length
                ? Optional.empty()
                : Optional.of(Arrays.copyOfRange(image, start, start + length));
    }

    private static void unpack(byte[] payload, Path target, Deadline deadline) throws IOException {
        int magic = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN).getInt();
        if (magic == Lz4.MAGIC) {
            Files.write(target, Lz4.decode(payload));
        } else if ((magic & 0xffff) == 0x8b1f) {
            // The unpacked size follows the compressed data; reading stops where that ends.
            try (var gzip = new GZIPInputStream(new ByteArrayInputStream(Arrays.copyOf(payload, payload.length - 4)))) {
                Files.copy(gzip, target);
            }
        } else if (magic == 0xFD2FB528) {
            unpackBy("zstd", ".zst", payload, target, deadline);
        } else if (magic == 0x587A37FD) {
            unpackBy("xz", ".xz", payload, target, deadline);
        }
    }

    private static void unpackBy(String program, String suffix, byte[] payload, Path target, Deadline deadline)
            throws IOException {
        Path packed = target.resolveSibling(target.getFileName() + suffix);
        Files.write(packed, Arrays.copyOf(payload, payload.length - 4));
        Compression.expand(program, packed, deadline);
    }

    /** Whether there is a note "Xen", type 18 (XEN_ELFNOTE_PHYS32_ENTRY), which is what QEMU looks for. */
    static boolean hasPvhEntry(byte[] elf) {
        ByteBuffer file = ByteBuffer.wrap(elf).order(ByteOrder.LITTLE_ENDIAN);
        if (elf.length < 64 || file.getInt(0) != ELF_MAGIC) {
            return false;
        }
        long headers = file.getLong(32);
        for (int i = 0; i < file.getShort(56); i++) {
            int header = (int) headers + i * file.getShort(54);
            if (file.getInt(header) == 4
                    && noteIn(file, (int) file.getLong(header + 8), (int) file.getLong(header + 32))) {
                return true;
            }
        }
        return false;
    }

    private static boolean noteIn(ByteBuffer file, int start, int size) {
        int at = start;
        while (at + 12 <= start + size) {
            int nameBytes = file.getInt(at);
            int dataBytes = file.getInt(at + 4);
            if (file.getInt(at + 8) == 18 && nameBytes == 4 && file.getInt(at + 12) == 0x006e6558) {
                return true;
            }
            at += 12 + (nameBytes + 3 & ~3) + (dataBytes + 3 & ~3);
        }
        return false;
    }
}
