package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Keeps the outcome of the last probe in a file, which appears whole or not at all.
 *
 * <p>Only outcomes are written, so a probe that took the server down with it has left none. A file that
 * cannot be understood counts as none; deleting it has the probe tried again.
 */
final class AcceleratorMemory {
    private static final String FILE = "accelerator.json";

    private final Path folder;
    private final Path file;

    AcceleratorMemory(Path folder) {
        this.folder = folder;
        this.file = folder.resolve(FILE);
    }

    /** What is in the file. */
    record Entry(HostKey host, Accelerator accelerator, String reason) {}

    /** The outcome on this very host, kernel, QEMU and boot. */
    Optional<ProbeResult> recall(HostKey host) {
        try {
            Entry entry = Json.read(Files.readString(file), Entry.class);
            boolean complete = entry.accelerator() != null && entry.reason() != null;
            return complete && host.equals(entry.host())
                    ? Optional.of(new ProbeResult(entry.accelerator(), entry.reason(), true))
                    : Optional.empty();
        } catch (IOException | BoxdException e) {
            return Optional.empty();
        }
    }

    void remember(HostKey host, ProbeResult result) {
        byte[] text = Json.writePretty(new Entry(host, result.accelerator(), result.reason()))
                .getBytes(StandardCharsets.UTF_8);
        FileOwner.folder(folder);
        Path unfinished = folder.resolve(FILE + "-" + Ids.random());
        try (FileChannel channel =
                FileChannel.open(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            FileOwner.deleteTree(unfinished);
            throw new BoxdException(ErrorCode.INTERNAL, "cannot write " + file, e);
        }
    }
}
