package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.ExecutionStream;
import io.boxd.control.Happening;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A part in an execution, by way of control in another process. */
final class RemoteExecutionStream implements ExecutionStream {
    private final JsonNode facts;
    private final Conversation conversation;
    private final Consumer<ObjectNode> steering;

    /** @param steering says something about this stream and waits until it is done */
    RemoteExecutionStream(JsonNode facts, Conversation conversation, Consumer<ObjectNode> steering) {
        this.facts = facts;
        this.conversation = conversation;
        this.steering = steering;
    }

    @Override
    public String execution() {
        return facts.path("exec_id").asString();
    }

    @Override
    public long firstOffset() {
        return facts.path("first_offset").asLong();
    }

    @Override
    public boolean isTerminal() {
        return facts.path("tty").asBoolean();
    }

    @Override
    public boolean takesInput() {
        return facts.path("takes_input").asBoolean();
    }

    @Override
    public long inputOffset() {
        return facts.path("input_offset").asLong();
    }

    @Override
    public Optional<String> snapshot() {
        return Optional.ofNullable(facts.path("snapshot").asString(null));
    }

    @Override
    public Happening next(Deadline deadline) {
        return Happenings.next(conversation, deadline);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            conversation.send(0, bytes, offset, length);
        } catch (BoxdException e) {
            if (e.code() == ErrorCode.WRONG_STATE) {
                throw new IOException("the command takes no more input", e);
            }
            throw e;
        }
    }

    @Override
    public void endInput() {
        conversation.end();
    }

    @Override
    public void resize(int rows, int columns) {
        steering.accept(Json.object().put("rows", rows).put("columns", columns));
    }

    @Override
    public void signal(String name) {
        steering.accept(Json.object().put("signal", name));
    }

    @Override
    public void close() {
        conversation.close();
    }
}
