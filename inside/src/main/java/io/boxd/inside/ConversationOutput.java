package io.boxd.inside;

import io.boxd.common.BoxdException;
import java.io.IOException;
import java.io.OutputStream;

/** Data that go into a conversation, at once; closing it says that no more will come. */
final class ConversationOutput extends OutputStream {
    private final Conversation conversation;

    ConversationOutput(Conversation conversation) {
        this.conversation = conversation;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            conversation.send(0, bytes, offset, length);
        } catch (BoxdException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            conversation.end();
        } catch (BoxdException e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
