package io.boxd.chronicle;

import java.time.Instant;
import java.util.Optional;

/**
 * Which entries of the audit are wanted.
 *
 * @param after those behind this number only; the oldest of them first
 * @param since when they were written down, at the earliest
 * @param box its id or name
 * @param most how many of all that fit: the newest, or with {@code after} the oldest
 */
public record AuditQuestion(
        Optional<Long> after, Optional<Instant> since, Optional<String> box, Optional<String> verb, int most) {
    /** Whether it comes behind the number and the moment that were said, if they were. */
    boolean isBehind(AuditEntry entry) {
        return after.filter(number -> entry.sequence() <= number).isEmpty()
                && since.filter(earliest -> entry.at().isBefore(earliest)).isEmpty();
    }

    /** Entries about the audit itself fit unless a box or a verb was named. */
    boolean fits(AuditEntry entry) {
        if (!isBehind(entry)) {
            return false;
        }
        if (entry.deed().isEmpty()) {
            return box.isEmpty() && verb.isEmpty();
        }
        Deed deed = entry.deed().get();
        boolean here =
                box.isEmpty() || deed.boxId().equals(box) || deed.boxName().equals(box);
        return here && verb.filter(name -> !deed.verb().equals(name)).isEmpty();
    }
}
