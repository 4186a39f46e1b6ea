package io.boxd.chronicle;

import io.boxd.chronicle.AuditEntry.Draft;
import io.boxd.chronicle.AuditEntry.Opening;
import io.boxd.common.BoxdException;
import io.boxd.common.Json;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import io.boxd.linux.Seal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The audit's files: lines are added at the end, each with the hash of the one before, and the end is sealed.
 *
 * <p>Whatever it finds when it is opened, it goes on behind it and changes nothing that is there: what does not fit
 * is for {@link AuditVerifier} to tell. Not thread-safe: one thread writes.
 */
final class AuditLog implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(AuditLog.class.getName());
    static final String NAME = "audit";

    private final NumberedFiles files;
    private final Seal seal;
    private final long fileBytes;
    private final long found;
    private AuditHead head;
    private FileChannel channel;

    private AuditLog(NumberedFiles files, Seal seal, long fileBytes, AuditHead head, FileChannel channel) {
        this.files = files;
        this.seal = seal;
        this.fileBytes = fileBytes;
        this.head = head;
        this.channel = channel;
        this.found = head.sequence();
    }

    /**
     * Opens what is in the folder, or begins.
     *
     * @param fileBytes a file that is longer is followed by another
     */
    static AuditLog open(Path folder, Seal seal, long fileBytes) throws IOException {
        FileOwner.folder(folder);
        NumberedFiles files = new NumberedFiles(folder, NAME);
        Optional<AuditHead> sealed = sealed(files, seal);
        AuditTrailEnd end = AuditTrailEnd.find(files, sealed.orElse(AuditHead.none()));
        AuditHead head = end.head();
        boolean goesOn = end.fits() && head.file() > 0;
        AuditLog log = goesOn
                ? new AuditLog(files, seal, fileBytes, head, append(files.file(head.file()), false))
                : begun(files, seal, fileBytes, end);
        if (sealed.isEmpty()) {
            log.append(List.of(Draft.unsealed(Instant.now())));
        } else if (end.unsealed() > 0) {
            log.append(List.of(Draft.recovered(end.unsealed(), Instant.now())));
        }
        return log;
    }

    /** Nothing if there should be a seal and is none; an audit that begins is sealed before it has a line. */
    private static Optional<AuditHead> sealed(NumberedFiles files, Seal seal) throws IOException {
        try {
            Optional<AuditHead> sealed = AuditHead.read(files.folder(), seal);
            if (sealed.isEmpty() && files.numbers().isEmpty()) {
                AuditHead.none().write(files.folder(), seal);
                return Optional.of(AuditHead.none());
            }
            return sealed;
        } catch (BoxdException e) {
            LOG.log(System.Logger.Level.ERROR, "the audit goes on without the seal of what was before", e);
            return Optional.empty();
        }
    }

    /** In a new file, since the last one, if any, does not end as it should. */
    private static AuditLog begun(NumberedFiles files, Seal seal, long fileBytes, AuditTrailEnd end)
            throws IOException {
        int number = end.lastFile() + 1;
        AuditLog log =
                new AuditLog(files, seal, fileBytes, end.head().inFile(number), append(files.file(number), true));
        Opening opening = new Opening(number, end.countedBytes(), end.tornBytes(), end.tornSha256());
        log.write(List.of(Draft.opened(opening, Instant.now())));
        return log;
    }

    private static FileChannel append(Path file, boolean fresh) throws IOException {
        Set<StandardOpenOption> options = fresh
                ? Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.APPEND)
                : Set.of(StandardOpenOption.WRITE, StandardOpenOption.APPEND);
        FileChannel channel = FileChannel.open(
                file, options, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        if (fresh) {
            Durable.syncFolder(java.util.Objects.requireNonNull(file.getParent()));
        }
        return channel;
    }

    /** Where the chain has come to; all of it is on disk. */
    AuditHead head() {
        return head;
    }

    /** The last entry that was there before this was opened. */
    long found() {
        return found;
    }

    /** Whether somebody else has written into the last file. */
    boolean isAlone() throws IOException {
        Path file = files.file(head.file());
        return Files.exists(file) && Files.size(file) == head.bytes();
    }

    /** Adds entries; they last, under the seal, when this returns. */
    void append(List<Draft> drafts) throws IOException {
        List<Draft> all = new ArrayList<>();
        if (head.bytes() >= fileBytes) {
            int number = head.file() + 1;
            long previous = head.bytes();
            FileChannel next = append(files.file(number), true);
            channel.close();
            channel = next;
            head = head.inFile(number);
            all.add(Draft.opened(new Opening(number, previous, 0, Sha256.of(new byte[0])), Instant.now()));
        }
        all.addAll(drafts);
        write(all);
    }

    private void write(List<Draft> drafts) throws IOException {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        long sequence = head.sequence();
        String hash = head.hash();
        for (Draft draft : drafts) {
            byte[] line = Json.write(draft.behind(sequence, hash)).getBytes(StandardCharsets.UTF_8);
            lines.writeBytes(line);
            lines.write('\n');
            sequence++;
            hash = Sha256.of(line);
        }
        ByteBuffer bytes = ByteBuffer.wrap(lines.toByteArray());
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        channel.force(false);
        AuditHead next = new AuditHead(head.file(), head.bytes() + lines.size(), sequence, hash);
        next.write(files.folder(), seal);
        head = next;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
