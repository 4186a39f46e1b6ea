package io.boxd.chronicle;

import io.boxd.common.BoxdException;
import io.boxd.common.Json;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The newest events on disk: a few files, the oldest of which goes when there are too many events.
 *
 * <p>Not thread-safe: one thread writes.
 */
final class EventFiles implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(EventFiles.class.getName());
    /** All but the newest of these files together hold at least as many events as are kept. */
    private static final int FILES = 3;

    private final NumberedFiles files;
    private final int eventsAFile;
    private int number;
    private int count;
    private long length;
    private FileChannel channel;

    private EventFiles(NumberedFiles files, int eventsAFile, int number, FileChannel channel) {
        this.files = files;
        this.eventsAFile = eventsAFile;
        this.number = number;
        this.channel = channel;
    }

    /** What is in a folder: the files, ready to go on, and the events in them. */
    record Opened(EventFiles files, List<Event> events) {}

    static Opened open(Path folder, int keep) throws IOException {
        FileOwner.folder(folder);
        NumberedFiles files = new NumberedFiles(folder, "events");
        List<Event> events = new ArrayList<>();
        List<Integer> numbers = files.numbers();
        int last = numbers.isEmpty() ? 1 : numbers.getLast();
        EventFiles open = new EventFiles(files, Math.max(1, (keep + 1) / (FILES - 1)), last, writer(files.file(last)));
        for (int each : numbers) {
            int before = events.size();
            long end = read(files.file(each), events);
            if (each == last) {
                open.count = events.size() - before;
                open.length = end;
            }
        }
        open.repair();
        return new Opened(open, events);
    }

    private static FileChannel writer(Path file) throws IOException {
        boolean fresh = !Files.exists(file);
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (fresh) {
            Durable.syncFolder(java.util.Objects.requireNonNull(file.getParent()));
        }
        return channel;
    }

    /** Reads the events of a file; returns where the last whole line ends. */
    private static long read(Path file, List<Event> events) throws IOException {
        try (Lines lines = Lines.of(file, 0, Files.size(file))) {
            for (Optional<byte[]> line = lines.next(); line.isPresent(); line = lines.next()) {
                try {
                    events.add(Json.read(new String(line.get(), StandardCharsets.UTF_8), Event.class));
                } catch (BoxdException e) {
                    LOG.log(System.Logger.Level.WARNING, "an event in " + file + " cannot be read", e);
                }
            }
            return lines.position();
        }
    }

    /** Takes back what a failed write has left behind the last whole event, or a server that was killed in one. */
    void repair() throws IOException {
        channel.truncate(length);
        channel.position(length);
    }

    /** Adds events; they last when this returns. */
    void append(List<Event> events) throws IOException {
        if (count >= eventsAFile) {
            next();
        }
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (Event event : events) {
            lines.writeBytes(Json.write(event).getBytes(StandardCharsets.UTF_8));
            lines.write('\n');
        }
        ByteBuffer bytes = ByteBuffer.wrap(lines.toByteArray());
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        channel.force(false);
        count += events.size();
        length += lines.size();
    }

    private void next() throws IOException {
        FileChannel fresh = writer(files.file(number + 1));
        channel.close();
        channel = fresh;
        number++;
        count = 0;
        length = 0;
        for (int old : files.numbers()) {
            if (old <= number - FILES) {
                Files.deleteIfExists(files.file(old));
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
