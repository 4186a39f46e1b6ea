package io.boxd.verbs;

import java.time.Instant;

/**
 * How text is to look where it is shown.
 *
 * @param columns how wide the place is
 * @param colours whether it can show colours
 * @param now against which times are told
 */
public record Look(int columns, boolean colours, Instant now) {
    private static final String END = "\u001b[0m";

    String strong(String text) {
        return colours ? "\u001b[1m" + text + END : text;
    }

    String faint(String text) {
        return colours ? "\u001b[2m" + text + END : text;
    }

    /** A box's or an execution's status, coloured by what it means. */
    String status(String status) {
        if (!colours) {
            return status;
        }
        int colour = switch (status) {
            case "running", "ready" -> 32;
            case "starting" -> 36;
            case "standby", "hibernated" -> 34;
            case "failed", "killed" -> 31;
            default -> 33;
        };
        return "\u001b[" + colour + "m" + status + END;
    }
}
