package io.boxd.chronicle;

import io.boxd.chronicle.AuditEntry.Opening;
import io.boxd.chronicle.Verification.Finding;
import io.boxd.chronicle.Verification.Kind;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.linux.Durable;
import io.boxd.linux.Seal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads all of the audit and compares every link of the chain, its numbers, and its end with the seal.
 *
 * <p>Used once. Holds one line at a time, whatever the size of the audit.
 */
final class AuditVerifier {
    /** What is compared; a test leaves one out to show that it is needed. */
    enum Check {
        /** Each entry has the hash of the one before. */
        LINK,
        /** Entries are numbered without a gap. */
        SEQUENCE,
        /** Files are numbered without a gap, and end where the next one says. */
        FILES,
        /** The end is the one that was sealed. */
        SEAL;

        static Set<Check> all() {
            return EnumSet.allOf(Check.class);
        }
    }

    private static final int MOST_FINDINGS = 50;
    private static final long MOST_MISSING_NOTED = 10_000;

    private final NumberedFiles files;
    private final Seal seal;
    private final Set<Check> checks;
    private final List<Finding> findings = new ArrayList<>();
    private final Set<Long> missing = new HashSet<>();
    private long more;
    private long entries;
    private long lost;
    private long recovered;
    private long sequence;
    private String hash = Sha256.ZERO;

    AuditVerifier(Path folder, Seal seal, Set<Check> checks) {
        this.files = new NumberedFiles(folder, AuditLog.NAME);
        this.seal = seal;
        this.checks = checks;
    }

    /** @param alone whether the last file has nothing behind the end that its writer knows */
    Verification verify(boolean alone, Deadline deadline) {
        try {
            Optional<AuditHead> sealed = sealed();
            List<Integer> numbers = files.numbers();
            int last = sealed.map(AuditHead::file).orElse(numbers.isEmpty() ? 0 : numbers.getLast());
            for (int number = 1; number <= last; number++) {
                if (deadline.passed()) {
                    throw deadline.exceeded("verifying the audit");
                }
                if (numbers.contains(number)) {
                    file(number, number == last ? sealed.map(AuditHead::bytes) : Optional.empty());
                } else if (checks.contains(Check.FILES)) {
                    find(Kind.MISSING, number, 0, sequence + 1, "the file is not there");
                }
            }
            if (!alone && checks.contains(Check.SEAL)) {
                find(Kind.INSERTED, last, 0, sequence, "the file has another length than the server has written");
            }
            sealed.ifPresent(this::compareEnd);
            return new Verification(entries, numbers.size(), lost, recovered, findings, more);
        } catch (IOException e) {
            throw Durable.failure("cannot read the audit", e);
        }
    }

    private Optional<AuditHead> sealed() throws IOException {
        try {
            Optional<AuditHead> sealed = AuditHead.read(files.folder(), seal);
            if (sealed.isEmpty() && checks.contains(Check.SEAL)) {
                findings.add(new Finding(Kind.UNSEALED, "head", 0, 0, "the seal of the audit's end is not there"));
            }
            return sealed;
        } catch (BoxdException e) {
            if (checks.contains(Check.SEAL)) {
                findings.add(new Finding(Kind.UNSEALED, "head", 0, 0, String.valueOf(e.getMessage())));
            }
            return Optional.empty();
        }
    }

    private void find(Kind kind, int file, long line, long entry, String detail) {
        if (findings.size() < MOST_FINDINGS) {
            String name = String.valueOf(files.file(file).getFileName());
            findings.add(new Finding(kind, name, line, entry, detail));
        } else {
            more++;
        }
    }

    /** @param sealed how much of it belongs to the chain, if the seal says so */
    private void file(int number, Optional<Long> sealed) throws IOException {
        Path path = files.file(number);
        long size = Files.size(path);
        long counted = sealed.isPresent() ? sealed.get() : counted(number, size);
        long lineNumber = 0;
        try (Lines lines = Lines.of(path, 0, Math.min(counted, size))) {
            for (Optional<byte[]> line = lines.next(); line.isPresent(); line = lines.next()) {
                lineNumber++;
                line(number, lineNumber, line.get());
            }
            boolean half = lines.position() < Math.min(counted, size);
            if (half && checks.contains(Check.FILES)) {
                find(Kind.CHANGED, number, lineNumber + 1, sequence + 1, "the last line has no end");
            }
        }
        if (size < counted && checks.contains(Check.FILES)) {
            find(Kind.TRUNCATED, number, 0, sequence + 1, "it has " + size + " bytes instead of " + counted);
        }
    }

    /** What the next file says of this one; what is torn must be what it was when the next one began. */
    private long counted(int number, long size) throws IOException {
        Path next = files.file(number + 1);
        if (!Files.exists(next) || !checks.contains(Check.FILES)) {
            return size;
        }
        Optional<Opening> opening;
        try (Lines lines = Lines.of(next, 0, Lines.LONGEST)) {
            opening = lines.next().flatMap(AuditTrailEnd::entry).flatMap(AuditEntry::opening);
        }
        if (opening.isEmpty()) {
            return size;
        }
        long counted = opening.get().previousBytes();
        long torn = opening.get().tornBytes();
        if (size > counted + torn) {
            find(Kind.INSERTED, number, 0, sequence, "it has " + size + " bytes instead of " + (counted + torn));
        } else if (size < counted + torn && size >= counted) {
            find(Kind.TRUNCATED, number, 0, sequence, "what was torn off at its end is not all there");
        } else if (size == counted + torn && torn > 0) {
            compareTorn(number, counted, opening.get());
        }
        return counted;
    }

    private void compareTorn(int number, long counted, Opening opening) throws IOException {
        try (var input = Files.newInputStream(files.file(number))) {
            input.skipNBytes(counted);
            if (!Sha256.of(input.readAllBytes()).equals(opening.tornSha256())) {
                find(Kind.CHANGED, number, 0, sequence, "what was torn off at its end is not what it was");
            }
        }
    }

    private void line(int number, long lineNumber, byte[] line) {
        entries++;
        Optional<AuditEntry> parsed = AuditTrailEnd.entry(line);
        if (parsed.isEmpty()) {
            find(Kind.CHANGED, number, lineNumber, sequence + 1, "the line is no entry");
            sequence++;
        } else {
            entry(number, lineNumber, parsed.get());
        }
        hash = Sha256.of(line);
    }

    private void entry(int number, long lineNumber, AuditEntry entry) {
        long expected = sequence + 1;
        if (entry.sequence() != expected && checks.contains(Check.SEQUENCE)) {
            outOfOrder(number, lineNumber, entry.sequence(), expected);
        } else if (!entry.before().equals(hash) && checks.contains(Check.LINK)) {
            find(
                    Kind.CHANGED,
                    number,
                    lineNumber,
                    entry.sequence(),
                    "it does not fit the entry before it: one of the two was changed");
        }
        sequence = checks.contains(Check.SEQUENCE) ? Math.max(sequence, entry.sequence()) : sequence + 1;
        switch (entry.kind()) {
            case LOST -> lost += entry.count();
            case RECOVERED -> recovered += entry.count();
            case UNSEALED -> unsealed(number, lineNumber, entry.sequence());
            case OPENED, DEED -> {
                // They say nothing of others.
            }
        }
    }

    private void unsealed(int number, long lineNumber, long sequence) {
        if (checks.contains(Check.SEAL)) {
            find(
                    Kind.UNSEALED,
                    number,
                    lineNumber,
                    sequence,
                    "when a server went on here, the end before it had no seal");
        }
    }

    private void outOfOrder(int number, long lineNumber, long found, long expected) {
        if (found > expected) {
            for (long absent = expected; absent < found && missing.size() < MOST_MISSING_NOTED; absent++) {
                missing.add(absent);
            }
            String which = found == expected + 1 ? "entry " + expected : "entries " + expected + " to " + (found - 1);
            find(Kind.MISSING, number, lineNumber, expected, which + " should stand before it");
        } else if (missing.remove(found)) {
            find(Kind.REORDERED, number, lineNumber, found, "it stands behind entry " + (expected - 1));
        } else {
            find(Kind.INSERTED, number, lineNumber, found, "there is an entry with this number already");
        }
    }

    private void compareEnd(AuditHead sealed) {
        if (!checks.contains(Check.SEAL)) {
            return;
        }
        if (sequence < sealed.sequence()) {
            find(
                    Kind.TRUNCATED,
                    sealed.file(),
                    0,
                    sequence + 1,
                    "it ends with entry " + sequence + " instead of " + sealed.sequence());
        } else if (sequence > sealed.sequence()) {
            find(Kind.INSERTED, sealed.file(), 0, sequence, "entries stand behind the sealed end");
        } else if (!hash.equals(sealed.hash())) {
            find(Kind.CHANGED, sealed.file(), 0, sequence, "the last entry is not the one that was sealed");
        }
    }
}
