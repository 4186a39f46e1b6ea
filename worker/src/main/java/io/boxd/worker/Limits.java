package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Shapes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/**
 * How much there may be of everything on one host.
 *
 * @param running boxes with a machine, awake or in standby
 * @param forks of one order
 * @param snapshots of one box that somebody asked for
 * @param checkpoints of one box that nobody asked for
 * @param longestBusy for how long somebody may keep a box awake in advance
 */
public record Limits(
        int boxes,
        int running,
        int forks,
        int snapshots,
        int checkpoints,
        int labels,
        int labelBytes,
        int environmentBytes,
        Duration longestBusy) {
    public Limits {
        if (boxes < 1 || running < 1 || running > boxes || forks < 1 || forks > boxes || checkpoints < 1) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "limits must leave room for at least one box");
        }
    }

    public static Limits standard() {
        return new Limits(2000, 500, 200, 256, 64, 64, 128, 64 << 10, Duration.ofHours(24));
    }

    /** Refuses what cannot be the name of a box, which is also its host name and part of its URL. */
    static void requireName(String name) {
        if (!Shapes.isName(name) || Shapes.isLikeAPort(name)) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a box cannot have this name",
                    "Use up to 40 of a-z, 0-9 and hyphens; not digits and a hyphen first, no hyphen at either end.",
                    null);
        }
    }

    void requireLabels(Map<String, String> all) {
        if (all.size() > labels) {
            throw new BoxdException(ErrorCode.QUOTA_EXCEEDED, "a box has at most " + labels + " labels");
        }
        all.forEach((key, value) -> {
            requireLabel(key);
            if (bytes(value) > labelBytes || value.chars().anyMatch(Character::isISOControl)) {
                throw new BoxdException(
                        ErrorCode.INVALID_ARGUMENT,
                        "the value of label " + key + " has more than " + labelBytes
                                + " bytes, or characters that cannot be printed");
            }
        });
    }

    /** Refuses what cannot be a label. */
    void requireLabel(String label) {
        if (bytes(label) > labelBytes || !Shapes.isLabelKey(label)) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "that is no label",
                    "Use up to " + labelBytes + " letters, digits, dots, hyphens, underscores and slashes.",
                    null);
        }
    }

    void requireEnvironment(Map<String, String> environment) {
        int sum = 0;
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            if (!Shapes.isVariable(variable.getKey()) || variable.getValue().indexOf('\0') >= 0) {
                throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "a variable's name or value is not possible");
            }
            sum += bytes(variable.getKey()) + bytes(variable.getValue()) + 2;
        }
        if (sum > environmentBytes) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "an environment of " + sum + " bytes is longer than the limit of " + environmentBytes,
                    "Put long values into files.",
                    null);
        }
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
