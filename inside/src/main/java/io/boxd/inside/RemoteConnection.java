package io.boxd.inside;

import io.boxd.control.BoxConnection;
import java.io.InputStream;
import java.io.OutputStream;

/** A connection from inside a box, by way of control in another process. */
final class RemoteConnection implements BoxConnection {
    private final Conversation conversation;
    private final InputStream input;
    private final OutputStream output;

    RemoteConnection(Conversation conversation) {
        this.conversation = conversation;
        this.input = new ConversationInput(conversation);
        this.output = new ConversationOutput(conversation);
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
        conversation.close();
    }
}
