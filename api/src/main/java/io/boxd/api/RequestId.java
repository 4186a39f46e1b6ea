package io.boxd.api;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/** What a request is called: by its client, or by us. */
final class RequestId {
    static final String HEADER = "X-Request-Id";

    /** Nothing that could break a line of a log or of a header. */
    private static final Pattern GOOD = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private static final int RANDOM_BYTES = 8;
    private static final SecureRandom RANDOM = new SecureRandom();

    private RequestId() {}

    /** @param said all values of the header */
    static String of(List<String> said) {
        if (said.size() == 1 && GOOD.matcher(said.getFirst()).matches()) {
            return said.getFirst();
        }
        byte[] bytes = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(bytes);
        return "rq_" + HexFormat.of().formatHex(bytes);
    }
}
