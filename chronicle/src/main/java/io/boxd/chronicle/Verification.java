package io.boxd.chronicle;

import java.util.List;

/**
 * What came of looking at the whole audit.
 *
 * @param entries how many were read
 * @param lost how many deeds it says itself were never written down
 * @param recovered how many it says were there after an end without warning, before they were sealed
 * @param findings what is wrong, in the order of the files; only the first of very many
 * @param more how many findings were left out
 */
public record Verification(long entries, int files, long lost, long recovered, List<Finding> findings, long more) {
    public Verification {
        findings = List.copyOf(findings);
    }

    /** Whether everything is as it was written. */
    public boolean isWhole() {
        return findings.isEmpty();
    }

    /** What happened to an entry or a file. */
    public enum Kind {
        CHANGED,
        MISSING,
        REORDERED,
        TRUNCATED,
        INSERTED,
        /** Nobody can tell whether the end is missing. */
        UNSEALED
    }

    /**
     * Something that is wrong.
     *
     * @param file its name
     * @param line in the file, from one; 0 for the file as a whole
     * @param sequence of the entry that it is about, as far as that is known
     */
    public record Finding(Kind kind, String file, long line, long sequence, String detail) {}
}
