package io.boxd.inside;

import java.nio.ByteBuffer;
import tools.jackson.databind.JsonNode;

/** What one side of a conversation says to the other. */
sealed interface Message {
    record Text(JsonNode json) implements Message {}

    /**
     * Bytes.
     *
     * @param channel which of several flows they belong to
     */
    record Data(int channel, ByteBuffer bytes) implements Message {}

    /** No more comes from the other side. */
    record End() implements Message {}
}
