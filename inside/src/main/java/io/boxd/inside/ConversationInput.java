package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/** The data that come in a conversation, to their end, which a text can say, too; ends early only with an error. */
final class ConversationInput extends InputStream {
    private final Conversation conversation;
    private ByteBuffer rest = ByteBuffer.allocate(0);
    private boolean over;

    ConversationInput(Conversation conversation) {
        this.conversation = conversation;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (!rest.hasRemaining()) {
            if (over) {
                return -1;
            }
            fill();
        }
        int count = Math.min(length, rest.remaining());
        rest.get(target, offset, count);
        return count;
    }

    private void fill() throws IOException {
        Deadline deadline = Deadline.in(InsideLimits.LONGEST);
        try {
            switch (conversation.take(deadline).orElseThrow(() -> deadline.exceeded("a transfer"))) {
                case Message.Data(int _, ByteBuffer bytes) -> rest = bytes;
                case Message.End(), Message.Text _ -> over = true;
            }
        } catch (BoxdException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        conversation.close();
    }
}
