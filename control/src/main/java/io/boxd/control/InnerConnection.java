package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.guest.GuestConnection;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A connection that a box's agent has made inside it; what is said on it counts as life, and wakes the box. */
final class InnerConnection implements BoxConnection {
    private final GuestConnection connection;
    private final InputStream input;
    private final OutputStream output;

    InnerConnection(GuestConnection connection, Attention attention) {
        this.connection = connection;
        this.input = new Heard(connection.input(), attention);
        this.output = new Said(connection.output(), attention);
    }

    private static final class Heard extends FilterInputStream {
        private final Attention attention;

        Heard(InputStream in, Attention attention) {
            super(in);
            this.attention = attention;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int count = in.read(target, offset, length);
            attention.happened();
            return count;
        }
    }

    private static final class Said extends FilterOutputStream {
        private final Attention attention;

        Said(OutputStream out, Attention attention) {
            super(out);
            this.attention = attention;
        }

        @Override
        public void write(byte[] source, int offset, int length) throws IOException {
            try {
                attention.take(Deadline.in(Limits.WAKE));
            } catch (BoxdException e) {
                throw new IOException(e);
            }
            out.write(source, offset, length);
        }
    }

    @Override
    public InputStream input() {
        return input;
    }

    @Override
    public OutputStream output() {
        return output;
    }

    @Override
    public void close() {
        connection.close();
    }
}
