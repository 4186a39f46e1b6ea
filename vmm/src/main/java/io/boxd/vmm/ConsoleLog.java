package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A machine's serial console, drained for as long as it runs into a file of bounded size.
 *
 * <p>Always read, so that a flood never blocks the guest or QEMU; kept only at a bounded rate, so that
 * a flood wears out no disk. The older half is in a second file with {@code .1} behind its name.
 */
final class ConsoleLog implements AutoCloseable {
    static final int MAX_FILE_BYTES = 512 << 10;
    static final int KEPT_BYTES_PER_SECOND = 256 << 10;
    private static final int TAIL_BYTES = 16 << 10;
    private static final String PANIC = "Kernel panic - not syncing";

    private final SocketChannel source;
    private final Path path;
    private final int keptBytesPerSecond;
    private final byte[] tail = new byte[TAIL_BYTES];
    private long tailEnd;
    private long written;
    private @Nullable FileChannel file;
    private boolean fileFailed;
    private long dropped;
    private long secondStart = System.nanoTime();
    private int keptThisSecond;

    private ConsoleLog(SocketChannel source, Path path, int keptBytesPerSecond) {
        this.source = source;
        this.path = path;
        this.keptBytesPerSecond = keptBytesPerSecond;
    }

    static ConsoleLog follow(SocketChannel source, Path path) {
        return follow(source, path, KEPT_BYTES_PER_SECOND);
    }

    /** At another rate, for tests that cannot wait until a file is full. */
    static ConsoleLog follow(SocketChannel source, Path path, int keptBytesPerSecond) {
        ConsoleLog log = new ConsoleLog(source, path, keptBytesPerSecond);
        Thread.ofVirtual().name("console-" + path).start(log::drain);
        return log;
    }

    /** The last few kilobytes, as the guest wrote them: hostile text. */
    synchronized String tail() {
        int length = (int) Math.min(tailEnd, TAIL_BYTES);
        byte[] copy = new byte[length];
        for (int i = 0; i < length; i++) {
            copy[i] = tail[(int) ((tailEnd - length + i) % TAIL_BYTES)];
        }
        return new String(copy, StandardCharsets.ISO_8859_1);
    }

    /** The last line that says something, or the kernel's reason for giving up; fit to be printed. */
    String lastLine() {
        return Printable.of(tail().lines().reduce("", (a, b) -> b.isBlank() || a.contains(PANIC) ? a : b));
    }

    boolean showsPanic() {
        return tail().contains(PANIC);
    }

    /** Bytes that came too fast to be kept. */
    synchronized long dropped() {
        return dropped;
    }

    @Override
    public void close() {
        try {
            source.close();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot close a console", e);
        }
    }

    private void drain() {
        ByteBuffer chunk = ByteBuffer.allocate(16 << 10);
        try (source) {
            while (source.read(chunk.clear()) >= 0) {
                remember(chunk.flip());
                if (mayKeep(chunk.remaining())) {
                    keep(chunk);
                }
            }
        } catch (IOException e) {
            // The socket ends with the machine.
            return;
        } finally {
            giveUpFile();
        }
    }

    /** A full disk, or a folder that is being removed, ends the keeping but not the draining. */
    private void keep(ByteBuffer chunk) {
        if (fileFailed) {
            return;
        }
        try {
            FileChannel current = file != null ? file : open();
            written += current.write(chunk);
            if (written > MAX_FILE_BYTES) {
                current.close();
                file = null;
                written = 0;
                Files.move(path, path.resolveSibling(path.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            giveUpFile();
        }
    }

    private void giveUpFile() {
        fileFailed = true;
        FileChannel current = file;
        file = null;
        if (current != null) {
            try {
                current.close();
            } catch (IOException e) {
                // Nothing of it is worth more than the machine that it was about.
                return;
            }
        }
    }

    private FileChannel open() throws IOException {
        FileChannel opened = create();
        file = opened;
        return opened;
    }

    private FileChannel create() throws IOException {
        return FileChannel.open(
                path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    }

    private synchronized void remember(ByteBuffer chunk) {
        for (int i = chunk.position(); i < chunk.limit(); i++) {
            tail[(int) (tailEnd++ % TAIL_BYTES)] = chunk.get(i);
        }
    }

    private synchronized boolean mayKeep(int bytes) {
        long now = System.nanoTime();
        if (now - secondStart > TimeUnit.SECONDS.toNanos(1)) {
            secondStart = now;
            keptThisSecond = 0;
        }
        if (keptThisSecond + bytes > keptBytesPerSecond) {
            dropped += bytes;
            return false;
        }
        keptThisSecond += bytes;
        return true;
    }
}
