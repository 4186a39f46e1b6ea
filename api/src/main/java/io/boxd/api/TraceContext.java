package io.boxd.api;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a span stands in its trace, in hexadecimal digits as W3C's Trace Context has them.
 *
 * @param parent the caller's span, if it said one
 */
record TraceContext(String trace, String span, Optional<String> parent) {
    static final String HEADER = "traceparent";
    private static final Pattern SAID = Pattern.compile("00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}");
    private static final Pattern ZEROES = Pattern.compile("0+");
    private static final int TRACE_BYTES = 16;
    private static final int SPAN_BYTES = 8;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** A new span in the caller's trace, or in one of its own. */
    static TraceContext of(Optional<String> header) {
        Optional<Matcher> said = header.map(SAID::matcher)
                .filter(Matcher::matches)
                .filter(match -> !ZEROES.matcher(match.group(1)).matches()
                        && !ZEROES.matcher(match.group(2)).matches());
        return new TraceContext(
                said.map(match -> match.group(1)).orElseGet(() -> random(TRACE_BYTES)),
                random(SPAN_BYTES),
                said.map(match -> match.group(2)));
    }

    private static String random(int count) {
        byte[] bytes = new byte[count];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
