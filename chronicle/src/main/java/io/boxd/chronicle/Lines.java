package io.boxd.chronicle;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** The whole lines of a file from one place to another, as bytes; a line without its end is what is left over. */
final class Lines implements AutoCloseable {
    /** Nothing that we write is longer; a longer line is nobody's, and is cut into several. */
    static final int LONGEST = 64 << 10;

    private final InputStream input;
    private final long end;
    private long position;

    private Lines(InputStream input, long start, long end) {
        this.input = input;
        this.position = start;
        this.end = end;
    }

    static Lines of(Path file, long start, long end) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        try {
            channel.position(start);
            return new Lines(new BufferedInputStream(Channels.newInputStream(channel), LONGEST), start, end);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Behind the last line that was returned. */
    long position() {
        return position;
    }

    /** The next line without its end; nothing if no whole one follows. */
    Optional<byte[]> next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (position + line.size() < end) {
            int next = input.read();
            if (next < 0) {
                break;
            }
            if (next == '\n') {
                position += line.size() + 1;
                return Optional.of(line.toByteArray());
            }
            line.write(next);
            if (line.size() == LONGEST) {
                position += LONGEST;
                return Optional.of(line.toByteArray());
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
