package io.boxd.control;

import io.boxd.guest.FileAttributes;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** One file of a box as a tar archive of just that file; ends early only with an error. */
final class FileArchive extends InputStream {
    private static final int BLOCK = 512;
    private static final int NAME_BYTES = 100;
    private static final long LARGEST_OCTAL = 0_77777777777L;
    private static final int CHECKSUM_AT = 148;
    private static final int CHECKSUM_BYTES = 8;

    private final InputStream content;
    private final InputStream head;
    private long left;
    private int padding;

    FileArchive(String name, FileAttributes file, InputStream content) {
        this.content = content;
        this.left = file.size();
        this.padding = padding(file.size()) + 2 * BLOCK; // two empty blocks end an archive
        this.head = new ByteArrayInputStream(head(name, file));
    }

    private static int padding(long bytes) {
        return (int) ((BLOCK - bytes % BLOCK) % BLOCK);
    }

    private static byte[] head(String name, FileAttributes file) {
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        StringBuilder records = new StringBuilder();
        if (nameBytes.length > NAME_BYTES || nameBytes.length != name.length()) {
            records.append(record("path", name));
        }
        if (file.size() > LARGEST_OCTAL) {
            records.append(record("size", String.valueOf(file.size())));
        }
        byte[] own = header(nameBytes, file.mode(), Math.min(file.size(), LARGEST_OCTAL), seconds(file), '0');
        if (records.isEmpty()) {
            return own;
        }
        byte[] extended = records.toString().getBytes(StandardCharsets.UTF_8);
        byte[] name1 = "PaxHeaders/file".getBytes(StandardCharsets.UTF_8);
        byte[] first = header(name1, 0644, extended.length, seconds(file), 'x');
        int padded = extended.length + padding(extended.length);
        byte[] all = Arrays.copyOf(first, BLOCK + padded + BLOCK);
        System.arraycopy(extended, 0, all, BLOCK, extended.length);
        System.arraycopy(own, 0, all, BLOCK + padded, BLOCK);
        return all;
    }

    private static long seconds(FileAttributes file) {
        return Math.clamp(file.modified().getEpochSecond(), 0, LARGEST_OCTAL);
    }

    /** Its length counts itself. */
    private static String record(String key, String value) {
        int rest = (" " + key + "=" + value + "\n").getBytes(StandardCharsets.UTF_8).length;
        int length = rest + String.valueOf(rest).length();
        length = rest + String.valueOf(length).length();
        return length + " " + key + "=" + value + "\n";
    }

    private static byte[] header(byte[] name, int mode, long size, long seconds, char type) {
        byte[] header = new byte[BLOCK];
        System.arraycopy(name, 0, header, 0, Math.min(name.length, NAME_BYTES));
        octal(header, 100, 8, mode);
        octal(header, 108, 8, 0);
        octal(header, 116, 8, 0);
        octal(header, 124, 12, size);
        octal(header, 136, 12, seconds);
        Arrays.fill(header, CHECKSUM_AT, CHECKSUM_AT + CHECKSUM_BYTES, (byte) ' ');
        header[156] = (byte) type;
        byte[] magic = "ustar\u000000".getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(magic, 0, header, 257, magic.length);
        int sum = 0;
        for (byte each : header) {
            sum += Byte.toUnsignedInt(each);
        }
        octal(header, CHECKSUM_AT, CHECKSUM_BYTES - 1, sum);
        return header;
    }

    private static void octal(byte[] header, int at, int bytes, long value) {
        String digits = ("%0" + (bytes - 1) + "o").formatted(value);
        System.arraycopy(digits.getBytes(StandardCharsets.US_ASCII), 0, header, at, bytes - 1);
        header[at + bytes - 1] = 0;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (head.available() > 0 || length == 0) {
            return head.read(target, offset, length);
        }
        if (left > 0) {
            int count = content.read(target, offset, (int) Math.min(length, left));
            if (count < 0) {
                throw new EOFException("the file became shorter while it was read");
            }
            left -= count;
            return count;
        }
        if (padding == 0) {
            return -1;
        }
        int count = Math.min(length, padding);
        Arrays.fill(target, offset, offset + count, (byte) 0);
        padding -= count;
        return count;
    }

    @Override
    public void close() throws IOException {
        content.close();
    }
}
