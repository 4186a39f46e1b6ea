package io.boxd.ssh;

import io.boxd.console.Console;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Shows what a command says where its client sits.
 *
 * @param raw whether the command has a terminal itself, so that the client's takes every byte as it is
 */
record ToSeat(Seat seat, Console console, boolean raw) implements ExecutionTalk.Hearer {
    @Override
    public void output(boolean error, ByteBuffer bytes) throws IOException {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        if (raw) {
            seat.conversation().output().write(copy);
            seat.conversation().output().flush();
        } else {
            console.write(error, ByteBuffer.wrap(copy));
        }
    }

    @Override
    public void skipped(long bytes) {
        console.tell(bytes + " bytes of older output are not kept any more");
    }
}
