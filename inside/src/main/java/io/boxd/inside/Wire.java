package io.boxd.inside;

import java.io.IOException;
import java.nio.ByteBuffer;

/** What a link is made of: messages that leave one after the other. */
interface Wire {
    /** Returns when the message has left; never called by two at a time, and not by whoever receives. */
    void send(ByteBuffer message) throws IOException;

    /** Ends it at once; never waits. */
    void cut();
}
