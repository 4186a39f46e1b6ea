package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Which boxd this is, as the build wrote it down. */
final class Version {
    private Version() {}

    static String own() {
        return lines()[0].strip();
    }

    /** The day of this version, as {@code 2026-01-31}. */
    static String day() {
        return lines()[1].substring(0, 10);
    }

    private static String[] lines() {
        try (InputStream resource = Version.class.getResourceAsStream("version.txt")) {
            if (resource == null) {
                throw new BoxdException(ErrorCode.INTERNAL, "this build does not know its version");
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read the version", e);
        }
    }
}
