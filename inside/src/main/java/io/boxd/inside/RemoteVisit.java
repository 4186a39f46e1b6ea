package io.boxd.inside;

import io.boxd.control.BoxConnection;
import io.boxd.control.BoxVisit;
import java.time.Duration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A visit to a box by way of control in another process. */
final class RemoteVisit implements BoxVisit {
    private final JsonNode facts;
    private final Conversation conversation;

    RemoteVisit(JsonNode facts, Conversation conversation) {
        this.facts = facts;
        this.conversation = conversation;
    }

    @Override
    public String box() {
        return facts.path("box").asString("");
    }

    @Override
    public int port() {
        return facts.path("port").asInt();
    }

    @Override
    public boolean asleep() {
        return facts.path("asleep").asBoolean();
    }

    @Override
    public BoxConnection connect(Duration limit) {
        Conversation fresh = conversation.sibling();
        try {
            fresh.say(about(Question.CONNECT).put("nanos", limit.toNanos()));
            RemoteControl.text(fresh);
            return new RemoteConnection(fresh);
        } catch (RuntimeException e) {
            fresh.close();
            throw e;
        }
    }

    private ObjectNode about(Question question) {
        return RemoteControl.question(question).put("stream", conversation.id());
    }

    @Override
    public void rest() {
        RemoteControl.ask(conversation.sibling(), about(Question.REST));
    }

    @Override
    public void close() {
        conversation.close();
    }
}
