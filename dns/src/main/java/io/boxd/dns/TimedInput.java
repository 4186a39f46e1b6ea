package io.boxd.dns;

import io.boxd.common.Deadline;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;

/** Reads from a connection until a deadline, however slowly the bytes come. */
final class TimedInput {
    private final Socket socket;
    private final InputStream in;

    TimedInput(Socket socket) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
    }

    /** Two bytes. */
    int number(Deadline deadline) throws IOException {
        byte[] bytes = bytes(2, deadline);
        return ((bytes[0] & 0xff) << 8) | (bytes[1] & 0xff);
    }

    byte[] bytes(int length, Deadline deadline) throws IOException {
        byte[] bytes = new byte[length];
        int have = 0;
        while (have < length) {
            if (deadline.passed()) {
                throw new SocketTimeoutException("the message did not arrive in time");
            }
            socket.setSoTimeout((int) Math.max(1, deadline.leftMillis()));
            int read = in.read(bytes, have, length - have);
            if (read < 0) {
                throw new EOFException();
            }
            have += read;
        }
        return bytes;
    }
}
