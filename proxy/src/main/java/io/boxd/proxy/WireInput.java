package io.boxd.proxy;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What comes from a box, read line by line or as it comes; for one thread. */
final class WireInput {
    private final InputStream source;
    private final byte[] buffer = new byte[ProxyLimits.BUFFER_BYTES];
    private int start;
    private int end;

    WireInput(InputStream source) {
        this.source = source;
    }

    /** Whether something was read that nobody has asked for. */
    boolean hasMore() {
        return start < end;
    }

    private boolean fill() throws IOException {
        start = 0;
        end = Math.max(0, source.read(buffer, 0, buffer.length));
        return end > 0;
    }

    /** What there is, up to so many bytes; waits for at least one, and is -1 at the end. */
    int read(byte[] target, int offset, int length) throws IOException {
        if (!hasMore()) {
            // What does not fit in between goes straight through.
            return source.read(target, offset, length);
        }
        int count = Math.min(length, end - start);
        System.arraycopy(buffer, start, target, offset, count);
        start += count;
        return count;
    }

    /** A line without its end; fails if it is longer than this, or if there is none. */
    String line(int longest) throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            if (!hasMore() && !fill()) {
                throw new EOFException("the connection ended in the middle of a head");
            }
            int feed = start;
            while (feed < end && buffer[feed] != '\n') {
                feed++;
            }
            line.append(new String(buffer, start, feed - start, StandardCharsets.ISO_8859_1));
            boolean found = feed < end;
            start = found ? feed + 1 : end;
            if (line.length() > longest) {
                throw new ProtocolException("a line is longer than " + longest + " bytes");
            }
            if (found) {
                int last = line.length() - 1;
                return last >= 0 && line.charAt(last) == '\r' ? line.substring(0, last) : line.toString();
            }
        }
    }

    /** Fields up to an empty line. */
    List<Field> fields() throws IOException {
        List<Field> fields = new ArrayList<>();
        int left = ProxyLimits.HEAD_BYTES;
        String line = line(left);
        while (!line.isEmpty()) {
            left -= line.length();
            if (left < 0 || fields.size() == ProxyLimits.FIELDS) {
                throw new ProtocolException("a head is too long");
            }
            fields.add(field(line));
            line = line(left);
        }
        return fields;
    }

    private static Field field(String line) throws ProtocolException {
        int colon = line.indexOf(':');
        String name = colon < 0 ? "" : line.substring(0, colon);
        String value = line.substring(colon + 1).strip();
        if (!FieldNames.isToken(name) || !FieldNames.isValue(value)) {
            throw new ProtocolException("a line of a head is no field");
        }
        return new Field(name, value);
    }
}
