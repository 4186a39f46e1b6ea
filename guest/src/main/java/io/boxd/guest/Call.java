package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.util.Optional;
import java.util.function.Function;

/** A request with one answer. */
final class Call<T> implements Conversation {
    private final Reply<T> reply = new Reply<>();
    private final Function<AgentMessage, Optional<T>> answer;

    /** The function gives the answer that a message holds, or nothing if the message does not fit. */
    Call(Function<AgentMessage, Optional<T>> answer) {
        this.answer = answer;
    }

    @Override
    public boolean accept(AgentMessage message) throws ProtocolException {
        if (message instanceof AgentMessage.Refused refused) {
            reply.fail(Refusals.toException(refused));
        } else {
            reply.complete(answer.apply(message).orElseThrow(() -> new ProtocolException("an answer does not fit")));
        }
        return true;
    }

    @Override
    public void gone(BoxdException reason) {
        reply.fail(reason);
    }

    T await(Deadline deadline, String what) {
        return reply.await(deadline, what);
    }
}
