package io.boxd.chronicle;

import java.time.Instant;
import java.util.Optional;

/**
 * What somebody did, as the audit keeps it: who, from where, what, to which box, and how it ended.
 *
 * <p>Never what was said with it: command lines, variables, contents and secrets have no place here.
 *
 * @param at when it began
 * @param token the id of the token that was used, never the token
 * @param door through which it came
 * @param remote the address from which it came
 * @param request the id of the request, if it had one
 * @param subject what else it is about: a snapshot, an image, a webhook
 * @param outcome {@code ok}, or the code of the error
 */
public record Deed(
        Instant at,
        String account,
        Optional<String> token,
        String door,
        String remote,
        Optional<String> request,
        String verb,
        Optional<String> boxId,
        Optional<String> boxName,
        Optional<String> execution,
        Optional<String> subject,
        String outcome,
        long durationMillis) {
    /** The outcome of what succeeded. */
    public static final String OK = "ok";
}
