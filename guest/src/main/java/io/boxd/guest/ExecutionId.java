package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * What an execution is known by in its machine, in every session: 128 random bits that nobody can guess.
 *
 * @param hex 32 lower-case hexadecimal digits
 */
public record ExecutionId(String hex) {
    private static final Pattern SHAPE = Pattern.compile("[0-9a-f]{32}");
    private static final SecureRandom RANDOM = new SecureRandom();

    public ExecutionId {
        if (!SHAPE.matcher(hex).matches()) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT, "an execution's id is 32 hexadecimal digits in lower case");
        }
    }

    public static ExecutionId random() {
        byte[] bytes = new byte[Wire.EXECUTION_ID_BYTES];
        RANDOM.nextBytes(bytes);
        return of(bytes);
    }

    static ExecutionId of(byte[] bytes) {
        return new ExecutionId(HexFormat.of().formatHex(bytes));
    }

    byte[] bytes() {
        return HexFormat.of().parseHex(hex);
    }

    @Override
    public String toString() {
        return hex;
    }
}
