package io.boxd.inside;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.control.BoxProgram;
import io.boxd.guest.ExitStatus;
import java.io.InputStream;
import java.io.OutputStream;
import tools.jackson.databind.node.ObjectNode;

/** A program in a box, by way of control in another process; what it says on the side has a conversation of its own. */
final class RemoteProgram implements BoxProgram {
    private final Conversation conversation;
    private final Conversation side;
    private final InputStream output;
    private final InputStream errors;
    private final OutputStream input;

    RemoteProgram(Conversation conversation) {
        this.conversation = conversation;
        this.side = conversation.sibling();
        side.say(about(Question.ERRORS));
        this.output = new ConversationInput(conversation);
        this.errors = new ConversationInput(side);
        this.input = new ConversationOutput(conversation);
    }

    private ObjectNode about(Question question) {
        return RemoteControl.question(question).put("stream", conversation.id());
    }

    @Override
    public OutputStream input() {
        return input;
    }

    @Override
    public InputStream output() {
        return output;
    }

    @Override
    public InputStream errors() {
        return errors;
    }

    @Override
    public void signal(String name) {
        ObjectNode asked = about(Question.STEER);
        asked.set("said", Json.object().put("signal", name));
        RemoteControl.ask(conversation.sibling(), asked);
    }

    @Override
    public ExitStatus await(Deadline deadline) {
        ObjectNode asked = about(Question.AWAIT).put("nanos", deadline.leftNanos());
        return Happenings.status(RemoteControl.ask(conversation.sibling(), asked))
                .orElseThrow(() -> Frame.nonsense("an end without a status"));
    }

    @Override
    public void close() {
        try (side) {
            conversation.close();
        }
    }
}
