package io.boxd.inside;

import io.boxd.common.Deadline;
import io.boxd.control.Following;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What happens, by way of control in another process. */
final class RemoteFollowing implements Following {
    private final Conversation conversation;
    private volatile long position;

    RemoteFollowing(long position, Conversation conversation) {
        this.position = position;
        this.conversation = conversation;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public Optional<Told> next(Deadline deadline) {
        return conversation.take(deadline).map(message -> {
            if (message instanceof Message.Text(JsonNode told) && told.path("json") instanceof ObjectNode json) {
                position = told.path("position").asLong();
                return new Told(told.path("id").asLong(), told.path("kind").asString(), json);
            }
            throw Frame.nonsense("something that did not happen");
        });
    }

    @Override
    public void close() {
        conversation.close();
    }
}
