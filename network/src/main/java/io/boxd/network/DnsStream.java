package io.boxd.network;

import io.boxd.common.Deadline;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;

/** DNS messages on a TCP connection: each behind its length. */
final class DnsStream {
    static final int LONGEST = 65_535;

    private DnsStream() {}

    static void write(DataOutputStream out, byte[] message) throws IOException {
        // In one piece, so that it leaves in one packet.
        byte[] framed = new byte[message.length + 2];
        framed[0] = (byte) (message.length >> 8);
        framed[1] = (byte) message.length;
        System.arraycopy(message, 0, framed, 2, message.length);
        out.write(framed);
        out.flush();
    }

    static byte[] read(DataInputStream in, int longest) throws IOException {
        int length = in.readUnsignedShort();
        if (length > longest) {
            throw new IOException("a message of " + length + " bytes");
        }
        byte[] message = new byte[length];
        in.readFully(message);
        return message;
    }

    /** No single wait on this connection lasts longer than what is left. */
    static void limit(Socket socket, Deadline deadline) throws SocketException {
        socket.setSoTimeout((int) Math.max(1, deadline.leftMillis()));
    }
}
