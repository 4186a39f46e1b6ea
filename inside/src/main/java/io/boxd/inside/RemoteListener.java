package io.boxd.inside;

import io.boxd.common.Deadline;
import io.boxd.control.BoxListener;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** A place inside a box to which connections come, by way of control in another process. */
final class RemoteListener implements BoxListener {
    private final JsonNode facts;
    private final Conversation conversation;

    RemoteListener(JsonNode facts, Conversation conversation) {
        this.facts = facts;
        this.conversation = conversation;
    }

    @Override
    public int port() {
        return facts.path("port").asInt();
    }

    @Override
    public String path() {
        return facts.path("path").asString("");
    }

    @Override
    public Optional<Arrival> accept(Deadline deadline) {
        return conversation.take(deadline).map(message -> {
            if (message instanceof Message.Text(JsonNode json)) {
                return new Arrival(
                        take(json),
                        json.path("address").asString(""),
                        json.path("port").asInt());
            }
            throw Frame.nonsense("bytes of a listener");
        });
    }

    private RemoteConnection take(JsonNode arrival) {
        Conversation fresh = conversation.sibling();
        try {
            fresh.say(RemoteControl.question(Question.ARRIVAL)
                    .put("stream", arrival.path("arrival").asInt()));
            RemoteControl.text(fresh);
            return new RemoteConnection(fresh);
        } catch (RuntimeException e) {
            fresh.close();
            throw e;
        }
    }

    @Override
    public void close() {
        conversation.close();
    }
}
