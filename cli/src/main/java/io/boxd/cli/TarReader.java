package io.boxd.cli;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a POSIX archive (ustar, pax, GNU's long names) that may be hostile: no number in it is believed. */
final class TarReader {
    private static final int MOST_RECORD_BYTES = 1 << 20;
    private static final long MOST_CONTENT_BYTES = 1L << 50;

    private final InputStream input;
    private long left;
    private int padding;

    TarReader(InputStream input) {
        this.input = input;
    }

    /** The next entry, or null at the end; what was not read of the one before is skipped. */
    @Nullable
    TarEntry next() throws IOException {
        Map<String, String> records = new HashMap<>();
        while (true) {
            skipContent();
            byte[] block = block();
            if (isZero(block)) {
                return null;
            }
            checkSum(block);
            char kind = (char) block[156];
            long size = number(block, 124, 12);
            switch (kind) {
                case 'x' -> records.putAll(records(content(size)));
                case 'g' -> skip(size);
                case 'L' -> records.put("path", text(content(size)));
                case 'K' -> records.put("linkpath", text(content(size)));
                default -> {
                    return entry(block, kind, size, records);
                }
            }
        }
    }

    private TarEntry entry(byte[] block, char letter, long stated, Map<String, String> records) throws IOException {
        TarEntry.Kind kind = switch (letter) {
            case 0, '0', '7' -> TarEntry.Kind.FILE;
            case '1' -> TarEntry.Kind.HARD_LINK;
            case '2' -> TarEntry.Kind.LINK;
            case '5' -> TarEntry.Kind.FOLDER;
            default -> TarEntry.Kind.OTHER;
        };
        long size = records.containsKey("size") ? whole(records.get("size")) : stated;
        boolean sparse = "1".equals(records.get("GNU.sparse.major"));
        String name = records.getOrDefault("path", ustarName(block));
        boolean hasContent = kind == TarEntry.Kind.FILE || kind == TarEntry.Kind.OTHER;
        left = hasContent ? size : 0;
        padding = TarEntry.padding(left);
        return new TarEntry(
                sparse ? records.getOrDefault("GNU.sparse.name", name) : name,
                kind,
                left,
                (int) number(block, 100, 8) & TarEntry.PERMISSIONS,
                records.containsKey("mtime")
                        ? moment(records.get("mtime"))
                        : Instant.ofEpochSecond(number(block, 136, 12)),
                records.getOrDefault("linkpath", text(Arrays.copyOfRange(block, 157, 257))),
                sparse ? (Long) whole(records.get("GNU.sparse.realsize")) : null);
    }

    private static String ustarName(byte[] block) throws IOException {
        String name = text(Arrays.copyOfRange(block, 0, 100));
        boolean ustar = new String(block, 257, 6, StandardCharsets.US_ASCII).equals("ustar\0");
        String prefix = ustar ? text(Arrays.copyOfRange(block, 345, 500)) : "";
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    /** Reads content of the entry; -1 at its end. */
    int read(byte[] bytes, int offset, int length) throws IOException {
        if (left == 0) {
            return -1;
        }
        int count = input.read(bytes, offset, (int) Math.min(length, left));
        if (count < 0) {
            throw new EOFException("the archive breaks off");
        }
        left -= count;
        return count;
    }

    private void skipContent() throws IOException {
        skip(left + padding);
        left = 0;
        padding = 0;
    }

    private void skip(long bytes) throws IOException {
        try {
            input.skipNBytes(bytes);
        } catch (EOFException e) {
            throw new EOFException("the archive breaks off");
        }
    }

    private byte[] block() throws IOException {
        byte[] block = input.readNBytes(TarEntry.BLOCK_BYTES);
        if (block.length < TarEntry.BLOCK_BYTES) {
            throw new EOFException("the archive breaks off");
        }
        return block;
    }

    /** The content of a small entry that describes another, with its padding. */
    private byte[] content(long size) throws IOException {
        if (size > MOST_RECORD_BYTES) {
            throw new IOException("the archive has names that are too long");
        }
        byte[] content = input.readNBytes((int) size);
        if (content.length < size) {
            throw new EOFException("the archive breaks off");
        }
        skip(TarEntry.padding(size));
        return content;
    }

    private static boolean isZero(byte[] block) {
        for (byte each : block) {
            if (each != 0) {
                return false;
            }
        }
        return true;
    }

    private static void checkSum(byte[] block) throws IOException {
        long sum = 0;
        for (int i = 0; i < block.length; i++) {
            sum += i >= 148 && i < 156 ? ' ' : block[i] & 0xFF;
        }
        if (sum != number(block, 148, 8)) {
            throw new IOException("the archive is damaged");
        }
    }

    private static long number(byte[] block, int offset, int length) throws IOException {
        if ((block[offset] & 0x80) != 0) {
            throw new IOException("the archive has a number that is too large");
        }
        String text = new String(block, offset, length, StandardCharsets.ISO_8859_1)
                .replace('\0', ' ')
                .strip();
        if (!text.matches("[0-7]*")) {
            throw new IOException("the archive has a malformed number");
        }
        return text.isEmpty() ? 0 : bounded(Long.parseLong(text, 8));
    }

    private static long bounded(long value) throws IOException {
        if (value < 0 || value > MOST_CONTENT_BYTES) {
            throw new IOException("the archive has a number that is too large");
        }
        return value;
    }

    static long whole(@Nullable String text) throws IOException {
        if (text == null || !text.matches("[0-9]{1,17}")) {
            throw new IOException("the archive has a malformed number");
        }
        return bounded(Long.parseLong(text));
    }

    private static Instant moment(@Nullable String text) throws IOException {
        if (text == null || !text.matches("-?[0-9]{1,12}(\\.[0-9]{0,30})?")) {
            throw new IOException("the archive has a malformed time");
        }
        BigDecimal seconds = new BigDecimal(text);
        try {
            long whole = seconds.setScale(0, java.math.RoundingMode.FLOOR).longValueExact();
            BigDecimal nanos = seconds.subtract(BigDecimal.valueOf(whole)).movePointRight(9);
            return Instant.ofEpochSecond(whole, nanos.longValue());
        } catch (DateTimeException | ArithmeticException e) {
            throw new IOException("the archive has a malformed time", e);
        }
    }

    private static Map<String, String> records(byte[] bytes) throws IOException {
        Map<String, String> records = new HashMap<>();
        int at = 0;
        while (at < bytes.length) {
            int space = at;
            while (space < bytes.length && bytes[space] != ' ') {
                space++;
            }
            int length = (int) Math.min(Integer.MAX_VALUE, whole(latin(bytes, at, space)));
            int end = at + length;
            if (length <= space - at || end > bytes.length || end < at || bytes[end - 1] != '\n') {
                throw new IOException("the archive has a malformed record");
            }
            int equals = space + 1;
            while (equals < end && bytes[equals] != '=') {
                equals++;
            }
            if (equals == end) {
                throw new IOException("the archive has a malformed record");
            }
            records.put(latin(bytes, space + 1, equals), text(Arrays.copyOfRange(bytes, equals + 1, end - 1)));
            at = end;
        }
        return records;
    }

    private static String latin(byte[] bytes, int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** Up to the first zero; bytes that are no text are refused, since no file here could have that name. */
    private static String text(byte[] bytes) throws IOException {
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, 0, end))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IOException("the archive has a name that is no text", e);
        }
    }
}
