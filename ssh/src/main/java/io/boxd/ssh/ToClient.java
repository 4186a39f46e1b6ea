package io.boxd.ssh;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** Passes on what a command says, each byte where it belongs. */
record ToClient(Conversation conversation) implements ExecutionTalk.Hearer {
    @Override
    public void output(boolean error, ByteBuffer bytes) throws IOException {
        OutputStream to = error ? conversation.errors() : conversation.output();
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        to.write(copy);
        to.flush();
    }

    @Override
    public void skipped(long bytes) {
        // Whoever hears a command from its beginning misses nothing.
    }
}
