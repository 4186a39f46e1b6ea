package io.boxd.ledger;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import org.jspecify.annotations.Nullable;

/** How a command went: what was decided, or why it was refused. */
record Answer(
        @Nullable String said,
        @Nullable ErrorCode code,
        @Nullable String message,
        @Nullable String hint) {
    static Answer of(Decision decision) {
        return new Answer(decision.answer(), null, null, null);
    }

    static Answer of(BoxdException refusal) {
        return new Answer(null, refusal.code(), refusal.getMessage(), refusal.hint());
    }

    String text() {
        return Json.write(this);
    }

    /** What was said, or the very refusal. */
    static String open(String text) {
        Answer answer = Json.read(text, Answer.class);
        if (answer.said != null) {
            return answer.said;
        }
        throw new BoxdException(
                answer.code == null ? ErrorCode.INTERNAL : answer.code,
                answer.message == null ? "refused" : answer.message,
                answer.hint,
                null);
    }
}
