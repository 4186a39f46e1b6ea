package io.boxd.chronicle;

import java.time.Instant;
import java.util.Optional;

/**
 * One line of the audit.
 *
 * @param sequence counts all entries of the instance, from one
 * @param before the SHA-256 of the line before, in this file or at the end of the one before
 * @param at when it was written down
 * @param deed of an entry that tells of one
 * @param opening of an entry that begins a file
 * @param count how many entries were lost or recovered; otherwise 0
 */
public record AuditEntry(
        long sequence,
        String before,
        Instant at,
        Kind kind,
        Optional<Deed> deed,
        Optional<Opening> opening,
        long count) {
    /** What an entry tells. */
    public enum Kind {
        /** A file begins. */
        OPENED,
        /** Somebody did something. */
        DEED,
        /** So many entries could not be written down. */
        LOST,
        /** After an end without warning: so many entries were there that nobody had sealed yet. */
        RECOVERED,
        /** The end before it was not under the instance's seal: nobody can tell whether something was cut off. */
        UNSEALED
    }

    /**
     * How the file before ended.
     *
     * @param file the number of the file that begins
     * @param previousBytes how much of the file before counts
     * @param tornBytes what stands behind that: a line that was cut off when the server or its host ended
     */
    public record Opening(int file, long previousBytes, long tornBytes, String tornSha256) {}

    /** What is to be written down; its place in the chain comes later. */
    record Draft(Instant at, Kind kind, Optional<Deed> deed, Optional<Opening> opening, long count) {
        static Draft of(Deed deed, Instant now) {
            return new Draft(now, Kind.DEED, Optional.of(deed), Optional.empty(), 0);
        }

        static Draft lost(long count, Instant now) {
            return new Draft(now, Kind.LOST, Optional.empty(), Optional.empty(), count);
        }

        static Draft recovered(long count, Instant now) {
            return new Draft(now, Kind.RECOVERED, Optional.empty(), Optional.empty(), count);
        }

        static Draft unsealed(Instant now) {
            return new Draft(now, Kind.UNSEALED, Optional.empty(), Optional.empty(), 0);
        }

        static Draft opened(Opening opening, Instant now) {
            return new Draft(now, Kind.OPENED, Optional.empty(), Optional.of(opening), 0);
        }

        AuditEntry behind(long sequence, String hash) {
            return new AuditEntry(sequence + 1, hash, at, kind, deed, opening, count);
        }
    }
}
