package io.boxd.guest.image;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;

/**
 * Decodes the old LZ4 container that kernels are packed with.
 *
 * <p>In Java because build hosts rarely have the lz4 program, and it is one loop.
 */
final class Lz4 {
    static final int MAGIC = 0x184C2102;
    private static final int MAX_BLOCK_BYTES = 8 << 20;
    private static final int MIN_MATCH = 4;

    private final byte[] in;
    private int at;

    private Lz4(byte[] in) {
        this.in = in;
    }

    /** The unpacked bytes of a payload that starts with the magic; each block stands for at most 8 MiB. */
    static byte[] decode(byte[] payload) throws IOException {
        Lz4 lz4 = new Lz4(payload);
        ByteArrayOutputStream all = new ByteArrayOutputStream(payload.length * 4);
        byte[] block = new byte[MAX_BLOCK_BYTES];
        try {
            lz4.at = 4;
            while (lz4.at + 4 <= payload.length) {
                int length = lz4.word();
                // The kernel's build appends the unpacked size after the last block.
                if (length <= 0 || length > payload.length - lz4.at) {
                    break;
                }
                int end = lz4.at + length;
                all.write(block, 0, lz4.block(end, block));
                lz4.at = end;
            }
        } catch (IndexOutOfBoundsException e) {
            throw new IOException("damaged LZ4 data at byte " + lz4.at, e);
        }
        return all.toByteArray();
    }

    private int block(int end, byte[] out) {
        int size = 0;
        while (at < end) {
            int token = in[at++] & 0xff;
            int literals = length(token >> 4);
            System.arraycopy(in, at, out, size, literals);
            at += literals;
            size += literals;
            if (at >= end) {
                break;
            }
            int distance = (in[at] & 0xff) | (in[at + 1] & 0xff) << 8;
            at += 2;
            int match = length(token & 15) + MIN_MATCH;
            copy(out, size, distance, match);
            size += match;
        }
        return size;
    }

    /** A match may overlap what it produces, which repeats it. */
    private static void copy(byte[] out, int to, int distance, int count) {
        if (distance == 1) {
            Arrays.fill(out, to, to + count, out[to - 1]);
        } else if (distance >= count) {
            System.arraycopy(out, to - distance, out, to, count);
        } else {
            for (int i = to; i < to + count; i++) {
                out[i] = out[i - distance];
            }
        }
    }

    private int length(int start) {
        int length = start;
        if (start == 15) {
            int more;
            do {
                more = in[at++] & 0xff;
                length += more;
            } while (more == 255);
        }
        return length;
    }

    private int word() {
        int word = (in[at] & 0xff) | (in[at + 1] & 0xff) << 8 | (in[at + 2] & 0xff) << 16 | (in[at + 3] & 0xff) << 24;
        at += 4;
        return word;
    }
}
