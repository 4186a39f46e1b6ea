package io.boxd.control;

import io.boxd.guest.GuestConnection;
import java.io.InputStream;
import java.io.OutputStream;

/** A connection from inside a box of this host; while nothing is said on it, the box may sleep. */
final class LocalConnection implements BoxConnection {
    private final GuestConnection connection;
    private final Attention attention;
    private final InputStream input;
    private final OutputStream output;

    LocalConnection(GuestConnection connection, Attention attention) {
        this.connection = connection;
        this.attention = attention;
        this.input = new RestingInput(connection.input(), connection::awaitInput, attention);
        this.output = new WakingOutput(connection.output(), attention);
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
        try (attention) {
            connection.close();
        }
    }
}
