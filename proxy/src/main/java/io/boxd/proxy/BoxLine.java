package io.boxd.proxy;

import io.boxd.control.BoxConnection;
import java.io.BufferedOutputStream;
import java.io.OutputStream;

/** A connection to something that serves in a box, with what was read from it ahead. */
final class BoxLine implements AutoCloseable {
    private final BoxConnection connection;
    private final WireInput input;
    private final OutputStream output;
    private final boolean fresh;

    private BoxLine(BoxConnection connection, WireInput input, OutputStream output, boolean fresh) {
        this.connection = connection;
        this.input = input;
        this.output = output;
        this.fresh = fresh;
    }

    static BoxLine of(BoxConnection connection) {
        return new BoxLine(
                connection,
                new WireInput(connection.input()),
                new BufferedOutputStream(connection.output(), ProxyLimits.BUFFER_BYTES),
                true);
    }

    /** The same, used for another request. */
    BoxLine again() {
        return new BoxLine(connection, input, output, false);
    }

    WireInput input() {
        return input;
    }

    /** What is written leaves when it is flushed. */
    OutputStream output() {
        return output;
    }

    /** Whether nobody has used it before. */
    boolean fresh() {
        return fresh;
    }

    /** Cuts it. */
    @Override
    public void close() {
        connection.close();
    }
}
