package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** Failures as clients see them. */
final class Errors {
    private static final Logger LOG = LoggerFactory.getLogger(Errors.class);

    private Errors() {}

    static int status(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT -> 400;
            case UNAUTHENTICATED -> 401;
            case PERMISSION_DENIED -> 403;
            case NOT_FOUND -> 404;
            case ALREADY_EXISTS, WRONG_STATE -> 409;
            case QUOTA_EXCEEDED, RESOURCE_EXHAUSTED -> 429;
            case INTERNAL -> 500;
            case UNAVAILABLE -> 503;
            case TIMEOUT -> 504;
        };
    }

    /** Whatever was thrown, with a code; what nobody foresaw is for the log, not for the client. */
    static BoxdException known(Throwable thrown, String requestId) {
        if (thrown instanceof BoxdException known) {
            if (known.code() == ErrorCode.INTERNAL) {
                LOG.error("request {} failed", requestId, known);
            }
            return known;
        }
        LOG.error("request {} failed in a way that nobody foresaw", requestId, thrown);
        return new BoxdException(
                ErrorCode.INTERNAL,
                "the server failed: " + thrown.getClass().getSimpleName(),
                "Its log says more.",
                thrown);
    }

    static ObjectNode json(BoxdException failure) {
        ObjectNode answer = Json.object();
        answer.putObject("error")
                .put("code", failure.code().wireName())
                .put("message", String.valueOf(failure.getMessage()))
                .put("hint", failure.hint());
        return answer;
    }
}
