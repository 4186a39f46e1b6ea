package io.boxd.chronicle;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Durable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the audit while it is written, from its files: however slow the reader, nothing is kept for it. */
public final class AuditFollower implements AutoCloseable {
    private final NumberedFiles files;
    private final AuditProgress progress;
    private final AuditQuestion question;
    private int file;
    private long position;
    private volatile long sequence;
    private @Nullable Lines lines;
    private volatile boolean closed;

    AuditFollower(NumberedFiles files, AuditHead start, AuditProgress progress, AuditQuestion question) {
        this.files = files;
        this.progress = progress;
        this.question = question;
        this.file = start.file();
        this.position = start.bytes();
        this.sequence = start.sequence();
    }

    /** The number of the last entry that it has looked at. */
    public long position() {
        return sequence;
    }

    /** The next entry that fits, or nothing if none came in time. */
    public Optional<AuditEntry> next(Deadline deadline) {
        try {
            while (!closed) {
                AuditHead head = progress.beyond(sequence, () -> !closed, deadline);
                if (head.sequence() <= sequence) {
                    return Optional.empty();
                }
                Optional<AuditEntry> entry = read(head);
                if (entry.filter(question::fits).isPresent()) {
                    return entry;
                }
                if (deadline.passed()) {
                    return Optional.empty();
                }
            }
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the stream was closed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "waiting for the audit was interrupted", e);
        } catch (IOException e) {
            throw Durable.failure("cannot read the audit", e);
        }
    }

    private Optional<AuditEntry> read(AuditHead head) throws IOException {
        Path path = files.file(file);
        Lines open = lines == null ? Lines.of(path, position, Long.MAX_VALUE) : lines;
        lines = open;
        Optional<byte[]> line = open.next();
        if (line.isPresent()) {
            position = open.position();
            Optional<AuditEntry> entry = AuditTrailEnd.entry(line.get());
            sequence = entry.map(AuditEntry::sequence).orElse(sequence);
            return entry;
        }
        open.close();
        lines = null;
        if (file < head.file()) {
            file++;
            position = 0;
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        closed = true;
        progress.reached(progress.now());
    }
}
