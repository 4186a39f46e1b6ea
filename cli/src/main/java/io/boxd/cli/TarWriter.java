package io.boxd.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Writes an archive in the pax format. */
final class TarWriter {
    private static final int MOST_NAME_BYTES = 100;
    private static final long MOST_IN_ELEVEN_DIGITS = (1L << 33) - 1;

    private final OutputStream output;

    TarWriter(OutputStream output) {
        this.output = output;
    }

    /** Begins an entry; so much content as it says must follow, and then {@link #endContent}. */
    void begin(TarEntry entry) throws IOException {
        Map<String, String> records = new LinkedHashMap<>();
        if (bytes(entry.name()).length > MOST_NAME_BYTES) {
            records.put("path", entry.name());
        }
        if (bytes(entry.link()).length > MOST_NAME_BYTES) {
            records.put("linkpath", entry.link());
        }
        if (entry.size() > MOST_IN_ELEVEN_DIGITS) {
            records.put("size", Long.toString(entry.size()));
        }
        Instant modified = entry.modified();
        if (!modified.truncatedTo(ChronoUnit.SECONDS).equals(modified) && modified.isAfter(Instant.EPOCH)) {
            records.put("mtime", moment(modified));
        }
        if (!records.isEmpty()) {
            byte[] content = records(records);
            head("pax", 'x', content.length, entry, "");
            output.write(content);
            endContent(content.length);
        }
        head(entry.name(), letter(entry.kind()), entry.size(), entry, entry.link());
    }

    void endContent(long size) throws IOException {
        output.write(new byte[TarEntry.padding(size)]);
    }

    /** The end of the archive. */
    void end() throws IOException {
        output.write(new byte[2 * TarEntry.BLOCK_BYTES]);
    }

    private static char letter(TarEntry.Kind kind) {
        return switch (kind) {
            case FILE -> '0';
            case HARD_LINK -> '1';
            case LINK -> '2';
            case FOLDER -> '5';
            case OTHER -> throw new IllegalArgumentException("no entry of an archive of ours");
        };
    }

    private static String moment(Instant time) {
        long seconds = time.getEpochSecond();
        int nanos = time.getNano();
        return String.format(Locale.ROOT, "%d.%09d", seconds, nanos);
    }

    private static byte[] records(Map<String, String> records) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        records.forEach((name, value) -> {
            int body = bytes(" " + name + "=" + value + "\n").length;
            int length = body + Integer.toString(body).length();
            length = body + Integer.toString(length).length();
            content.writeBytes(bytes(length + " " + name + "=" + value + "\n"));
        });
        return content.toByteArray();
    }

    private void head(String name, char kind, long size, TarEntry entry, String link) throws IOException {
        byte[] block = new byte[TarEntry.BLOCK_BYTES];
        put(block, 0, bytes(name), MOST_NAME_BYTES);
        octal(block, 100, 8, entry.mode());
        octal(block, 108, 8, 0);
        octal(block, 116, 8, 0);
        octal(block, 124, 12, Math.min(size, MOST_IN_ELEVEN_DIGITS));
        long seconds = entry.modified().getEpochSecond();
        octal(block, 136, 12, Math.max(0, Math.min(seconds, MOST_IN_ELEVEN_DIGITS)));
        put(block, 148, bytes("        "), 8);
        block[156] = (byte) kind;
        put(block, 157, bytes(link), MOST_NAME_BYTES);
        put(block, 257, bytes("ustar\00000"), 8);
        long sum = 0;
        for (byte each : block) {
            sum += each & 0xFF;
        }
        put(block, 148, bytes(String.format(Locale.ROOT, "%06o\0 ", sum)), 8);
        output.write(block);
    }

    private static void octal(byte[] block, int at, int length, long value) {
        put(block, at, bytes(String.format(Locale.ROOT, "%0" + (length - 1) + "o", value)), length);
    }

    private static void put(byte[] block, int at, byte[] text, int most) {
        System.arraycopy(text, 0, block, at, Math.min(text.length, most));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
