package io.boxd.chronicle;

import io.boxd.linux.Durable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Finds entries of the audit; never holds more of them than was asked for. */
final class AuditReader {
    private final NumberedFiles files;

    AuditReader(NumberedFiles files) {
        this.files = files;
    }

    /** Those that are wanted, oldest first. */
    List<AuditEntry> entries(AuditQuestion question) {
        try {
            return question.after().isPresent() ? oldest(question) : newest(question);
        } catch (IOException e) {
            throw Durable.failure("cannot read the audit", e);
        }
    }

    /** Where somebody begins to read who goes on with what is written later. */
    AuditHead place(AuditQuestion question, AuditHead end) {
        if (question.after().isEmpty() && question.since().isEmpty()) {
            return end;
        }
        try {
            int number = firstFile(question);
            long before = firstIn(number).map(first -> first.sequence() - 1).orElse(0L);
            return new AuditHead(number, 0, before, Sha256.ZERO);
        } catch (IOException e) {
            throw Durable.failure("cannot read the audit", e);
        }
    }

    /** The last file in front of which nothing is wanted. */
    private int firstFile(AuditQuestion question) throws IOException {
        List<Integer> numbers = files.numbers();
        for (int number : numbers.reversed()) {
            if (firstIn(number).filter(first -> !question.isBehind(first)).isPresent()) {
                return number;
            }
        }
        return numbers.isEmpty() ? 1 : numbers.getFirst();
    }

    private List<AuditEntry> oldest(AuditQuestion question) throws IOException {
        List<AuditEntry> found = new ArrayList<>();
        int first = firstFile(question);
        for (int number : files.numbers()) {
            if (number < first || found.size() >= question.most()) {
                continue;
            }
            try (Lines lines = Lines.of(files.file(number), 0, Files.size(files.file(number)))) {
                for (Optional<byte[]> line = lines.next(); line.isPresent(); line = lines.next()) {
                    AuditTrailEnd.entry(line.get()).filter(question::fits).ifPresent(found::add);
                    if (found.size() >= question.most()) {
                        break;
                    }
                }
            }
        }
        return found;
    }

    /** From the newest file backwards. */
    private List<AuditEntry> newest(AuditQuestion question) throws IOException {
        Deque<AuditEntry> found = new ArrayDeque<>();
        for (int number : files.numbers().reversed()) {
            List<AuditEntry> more = in(files.file(number), question, question.most() - found.size());
            more.reversed().forEach(found::addFirst);
            boolean older =
                    firstIn(number).filter(first -> !question.isBehind(first)).isPresent();
            if (older || found.size() >= question.most()) {
                break;
            }
        }
        return List.copyOf(found);
    }

    private static List<AuditEntry> in(Path file, AuditQuestion question, int most) throws IOException {
        Deque<AuditEntry> found = new ArrayDeque<>();
        try (Lines lines = Lines.of(file, 0, Files.size(file))) {
            for (Optional<byte[]> line = lines.next(); line.isPresent(); line = lines.next()) {
                AuditTrailEnd.entry(line.get()).filter(question::fits).ifPresent(found::addLast);
                if (found.size() > most) {
                    found.removeFirst();
                }
            }
        }
        return new ArrayList<>(found);
    }

    private Optional<AuditEntry> firstIn(int number) {
        Path file = files.file(number);
        try (Lines lines = Lines.of(file, 0, Lines.LONGEST)) {
            return lines.next().flatMap(AuditTrailEnd::entry);
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
