package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Reads the records of a task's output, each with its length before it, into what they mean. */
final class Records<T> implements AutoCloseable {
    /** Turns one record into what it means; must read all of it. */
    interface Parser<T> {
        T parse(PayloadReader record) throws ProtocolException;
    }

    /** The longest names, link target and path of one record, and some room. */
    private static final int MAX_RECORD_BYTES = 16 * 1024;

    private final Tunnel tunnel;
    private final Parser<T> parser;

    Records(Tunnel tunnel, Parser<T> parser) {
        this.tunnel = tunnel;
        this.parser = parser;
    }

    /** The next record, or nothing at the end of a task that has succeeded. */
    Optional<T> next(Deadline deadline) {
        try {
            byte[] length = read(Integer.BYTES);
            if (length.length == 0) {
                tunnel.awaitDone(deadline);
                return Optional.empty();
            }
            PayloadReader record = new PayloadReader(ByteBuffer.wrap(body(length)));
            T parsed = parser.parse(record);
            record.end();
            return Optional.of(parsed);
        } catch (ProtocolException e) {
            throw tunnel.nonsense(e);
        } catch (IOException e) {
            BoxdException reason = tunnel.explain(e);
            tunnel.close();
            throw reason;
        }
    }

    /** As {@code next}, for tasks that go on for ever; nothing if none has come by the deadline. */
    Optional<T> poll(Deadline deadline) {
        return tunnel.awaitOutput(deadline) ? next(deadline) : Optional.empty();
    }

    private byte[] body(byte[] lengthBytes) throws IOException {
        int length = ByteBuffer.wrap(lengthBytes).getInt();
        if (length < 0 || length > MAX_RECORD_BYTES) {
            throw new ProtocolException("a record claims " + Integer.toUnsignedString(length) + " bytes");
        }
        byte[] body = read(length);
        if (body.length < length) {
            throw new EOFException("a record is cut off");
        }
        return body;
    }

    /** So many bytes, or none at the end. */
    private byte[] read(int count) throws IOException {
        InputStream output = tunnel.output();
        byte[] bytes = output.readNBytes(count);
        if (bytes.length > 0 && bytes.length < count) {
            throw new EOFException("a record is cut off");
        }
        return bytes;
    }

    @Override
    public void close() {
        tunnel.close();
    }
}
