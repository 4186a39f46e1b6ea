package io.boxd.inside;

import io.boxd.common.Deadline;
import io.boxd.control.ConsoleStream;
import io.boxd.control.Happening;

/** The console of a box, by way of control in another process. */
final class RemoteConsoleStream implements ConsoleStream {
    private final Conversation conversation;

    RemoteConsoleStream(Conversation conversation) {
        this.conversation = conversation;
    }

    @Override
    public Happening next(Deadline deadline) {
        return Happenings.next(conversation, deadline);
    }

    @Override
    public void close() {
        conversation.close();
    }
}
