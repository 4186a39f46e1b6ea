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

/**
 * A machine's serial console, drained for as long as it runs into a file of bounded size.
 *
 * <p>Always read, so that a flood never blocks the guest or QEMU; kept only at a bounded rate, so that
 * a flood wears out no disk. The older half is in a second file with {@code .1} behind its name.
 */
final class ConsoleLog implements AutoCloseable {
    static final int MAX_FILE_BYTES = 512 << 10;
    private static final int KEPT_BYTES_PER_SECOND = 256 << 10;
    private static final int TAIL_BYTES = 16 << 10;

    private final SocketChannel source;
    private final Path path;
    private final byte[] tail = new byte[TAIL_BYTES];
    private long tailEnd;
    private long written;
    private long dropped;
    private long secondStart = System.nanoTime();
    private int keptThisSecond;

    private ConsoleLog(SocketChannel source, Path path) {
        this.source = source;
        this.path = path;
    }

    static ConsoleLog follow(SocketChannel source, Path path) {
        ConsoleLog log = new ConsoleLog(source, path);
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
            FileChannel file = open();
            try {
                while (source.read(chunk.clear()) >= 0) {
                    remember(chunk.flip());
                    if (!mayKeep(chunk.remaining())) {
                        continue;
                    }
                    written += file.write(chunk);
                    if (written > MAX_FILE_BYTES) {
                        file.close();
                        Files.move(
                                path,
                                path.resolveSibling(path.getFileName() + ".1"),
                                StandardCopyOption.REPLACE_EXISTING);
                        file = open();
                        written = 0;
                    }
                }
            } finally {
                file.close();
            }
        } catch (IOException e) {
            // The socket ends with the machine; the file's folder may be removed while we still drain.
            return;
        }
    }

    private FileChannel open() throws IOException {
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
        if (keptThisSecond + bytes > KEPT_BYTES_PER_SECOND) {
            dropped += bytes;
            return false;
        }
        keptThisSecond += bytes;
        return true;
    }
}
