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

/** Finds entries of the audit, from the newest file backwards; never holds more than was asked for. */
final class AuditReader {
    private final NumberedFiles files;

    AuditReader(NumberedFiles files) {
        this.files = files;
    }

    /** The newest that fit, oldest of them first. */
    List<AuditEntry> newest(AuditQuestion question) {
        Deque<AuditEntry> found = new ArrayDeque<>();
        try {
            for (int number : files.numbers().reversed()) {
                List<AuditEntry> more = in(files.file(number), question, question.most() - found.size());
                more.reversed().forEach(found::addFirst);
                boolean older = question.since()
                        .filter(since -> firstIn(number)
                                .filter(first -> first.at().isBefore(since))
                                .isPresent())
                        .isPresent();
                if (older || found.size() >= question.most()) {
                    break;
                }
            }
        } catch (IOException e) {
            throw Durable.failure("cannot read the audit", e);
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
