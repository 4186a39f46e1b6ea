package io.boxd.cli;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Status and headers of an answer.
 *
 * @param headers by their names in small letters
 */
record HttpHead(int status, Map<String, String> headers) {
    private static final int MOST_BYTES = 64 * 1024;

    static HttpHead read(InputStream input) throws IOException {
        List<String> lines = new ArrayList<>();
        int left = MOST_BYTES;
        for (String line = line(input, left); !line.isEmpty(); line = line(input, left)) {
            if (lines.isEmpty()) {
                requireStatus(line);
            }
            lines.add(line);
            left -= line.length() + 2;
        }
        if (lines.isEmpty()) {
            requireStatus("");
        }
        Map<String, String> headers = new TreeMap<>();
        for (String line : lines.subList(1, lines.size())) {
            int colon = line.indexOf(':');
            if (colon < 1) {
                throw new HttpSyntaxException("the answer has a malformed header");
            }
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return new HttpHead(Integer.parseInt(lines.getFirst().substring(9, 12)), headers);
    }

    /** At once: somebody who speaks another language may wait for us after the first line. */
    private static void requireStatus(String line) throws HttpSyntaxException {
        if (!line.matches("HTTP/1\\.[01] [0-9]{3}( .*)?")) {
            throw new HttpSyntaxException("the answer is no HTTP");
        }
    }

    /** A line up to its end, which is not part of it. */
    static String line(InputStream input, int most) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = input.read(); next != '\n'; next = input.read()) {
            if (next < 0) {
                throw new EOFException("the connection ended within the head of an answer");
            }
            if (line.length() >= most) {
                throw new HttpSyntaxException("the head of the answer is too long");
            }
            line.append((char) next);
        }
        int end = line.length();
        return line.substring(0, end > 0 && line.charAt(end - 1) == '\r' ? end - 1 : end);
    }

    @Nullable
    String header(String name) {
        return headers.get(name);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
