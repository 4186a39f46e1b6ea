package io.boxd.chronicle;

import io.boxd.common.BoxdException;
import io.boxd.common.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where the audit ends, as it is found after any kind of end of the server before.
 *
 * @param head the last entry that fits, sealed or not
 * @param unsealed how many entries that fit stand behind the sealed end
 * @param lastFile the highest number of a file
 * @param countedBytes of that file that belong to the chain
 * @param tornBytes that follow them
 */
record AuditTrailEnd(
        AuditHead head, long unsealed, int lastFile, long countedBytes, long tornBytes, String tornSha256) {
    /** A tail that is longer was not left by a line that was cut off; its hash would have to be read for long. */
    private static final long MOST_TORN_BYTES = 64L << 20;

    /** Whether the next entry can simply follow. */
    boolean fits() {
        return tornBytes == 0 && head.file() == lastFile;
    }

    static AuditTrailEnd find(NumberedFiles files, AuditHead sealed) throws IOException {
        List<Integer> numbers = files.numbers();
        int last = numbers.isEmpty() ? 0 : numbers.getLast();
        AuditHead at = sealed.file() == 0 && last > 0 ? beforeFile(files, last) : sealed;
        long begin = at.sequence();
        for (int number : numbers) {
            if (number >= Math.max(1, at.file())) {
                at = follow(files.file(number), number, number == at.file() ? at : at.inFile(number), at);
            }
        }
        boolean gone = at.file() > last;
        long counted = at.file() >= last ? at.bytes() : 0;
        byte[] torn = gone || last == 0 ? new byte[0] : rest(files.file(last), counted);
        boolean cut = gone || (last > 0 && Files.size(files.file(last)) < counted);
        return new AuditTrailEnd(
                cut ? at.inFile(0) : at,
                at.sequence() - begin,
                Math.max(last, at.file()),
                counted,
                torn.length,
                Sha256.of(torn));
    }

    /** Without a seal, the last file says itself what it follows. */
    private static AuditHead beforeFile(NumberedFiles files, int number) throws IOException {
        Path file = files.file(number);
        try (Lines lines = Lines.of(file, 0, Files.size(file))) {
            Optional<AuditEntry> first = lines.next().flatMap(AuditTrailEnd::entry);
            return first.map(entry -> new AuditHead(number, 0, entry.sequence() - 1, entry.before()))
                    .orElse(new AuditHead(number, 0, 0, Sha256.ZERO));
        }
    }

    /** Follows the chain as far as it goes in a file; where the file does not go on with it, nothing changes. */
    private static AuditHead follow(Path file, int number, AuditHead start, AuditHead otherwise) throws IOException {
        AuditHead at = start;
        try (Lines lines = Lines.of(file, start.bytes(), Math.max(start.bytes(), Files.size(file)))) {
            for (Optional<byte[]> line = lines.next(); line.isPresent(); line = lines.next()) {
                Optional<AuditEntry> entry = entry(line.get());
                boolean fits = entry.isPresent()
                        && entry.get().sequence() == at.sequence() + 1
                        && entry.get().before().equals(at.hash());
                if (!fits) {
                    break;
                }
                at = new AuditHead(number, lines.position(), at.sequence() + 1, Sha256.of(line.get()));
            }
        }
        boolean went = at.sequence() > start.sequence() || start.file() == otherwise.file();
        return went ? at : otherwise;
    }

    static Optional<AuditEntry> entry(byte[] line) {
        try {
            return Optional.of(Json.read(new String(line, StandardCharsets.UTF_8), AuditEntry.class));
        } catch (BoxdException e) {
            return Optional.empty();
        }
    }

    private static byte[] rest(Path file, long from) throws IOException {
        long left = Math.max(0, Files.size(file) - from);
        if (left > MOST_TORN_BYTES) {
            throw new IOException(file + " has " + left + " bytes at its end that are no entries");
        }
        try (var input = Files.newInputStream(file)) {
            input.skipNBytes(Math.min(from, Files.size(file)));
            return input.readAllBytes();
        }
    }
}
