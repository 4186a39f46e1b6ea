package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;

/** A connection over a box's wire; what is said on it wakes the box by itself. */
final class SocketConnection implements BoxConnection {
    private final Socket socket;
    private final InputStream input;
    private final OutputStream output;

    SocketConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.input = socket.getInputStream();
        this.output = new HalfClosing(socket);
    }

    /** Its end is not the end of the other direction. */
    private static final class HalfClosing extends FilterOutputStream {
        private final Socket socket;

        HalfClosing(Socket socket) throws IOException {
            super(socket.getOutputStream());
            this.socket = socket;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            socket.shutdownOutput();
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
        try {
            socket.close();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "a socket cannot be closed", new UncheckedIOException(e));
        }
    }
}
