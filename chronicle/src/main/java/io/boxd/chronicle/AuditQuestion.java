package io.boxd.chronicle;

import java.time.Instant;
import java.util.Optional;

/**
 * Which entries of the audit are wanted.
 *
 * @param since when they were written down, at the earliest
 * @param box its id or name
 * @param most how many, the newest of all that fit
 */
public record AuditQuestion(Optional<Instant> since, Optional<String> box, Optional<String> verb, int most) {
    /** Entries about the audit itself fit unless a box or a verb was named. */
    boolean fits(AuditEntry entry) {
        if (since.filter(earliest -> entry.at().isBefore(earliest)).isPresent()) {
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
