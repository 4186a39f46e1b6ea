package io.boxd.guest;

import io.boxd.common.BoxdException;

/** Whoever waits for messages on one stream; called by the connection's reader and must not wait. */
interface Conversation {
    /** Takes a message; true if it was the last one. */
    boolean accept(AgentMessage message) throws ProtocolException;

    /** No message will come any more. */
    void gone(BoxdException reason);
}
