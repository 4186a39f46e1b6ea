package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Failures on their way: the same code, message and hint on both sides. */
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    /** Of a message or a hint; in JSON a character takes six bytes at most. */
    private static final int MOST_CHARS = InsideLimits.FAILURE_BYTES / 16;

    private Failures() {}

    static ByteBuffer write(BoxdException failure) {
        return ByteBuffer.wrap(Json.write(json(failure)).getBytes(StandardCharsets.UTF_8));
    }

    static ObjectNode json(BoxdException failure) {
        ObjectNode json = Json.object()
                .put("code", failure.code().wireName())
                .put("message", cut(String.valueOf(failure.getMessage())));
        String hint = failure.hint();
        if (hint != null) {
            json.put("hint", cut(hint));
        }
        return json;
    }

    private static String cut(String text) {
        return text.length() <= MOST_CHARS ? text : text.substring(0, MOST_CHARS);
    }

    static BoxdException read(ByteBuffer content) {
        return read(Json.parse(StandardCharsets.UTF_8.decode(content).toString()));
    }

    static BoxdException read(JsonNode json) {
        String code = json.path("code").asString("");
        return new BoxdException(
                Stream.of(ErrorCode.values())
                        .filter(each -> each.wireName().equals(code))
                        .findFirst()
                        .orElse(ErrorCode.INTERNAL),
                json.path("message").asString(""),
                json.path("hint").asString(null),
                null);
    }

    /** Whatever was thrown, with a code; what nobody foresaw is for the log, not for the other side. */
    static BoxdException known(RuntimeException thrown) {
        if (thrown instanceof BoxdException known) {
            return known;
        }
        LOG.error("a door's request failed in a way that nobody foresaw", thrown);
        return new BoxdException(
                ErrorCode.INTERNAL,
                "the server failed: " + thrown.getClass().getSimpleName(),
                "Its log says more.",
                thrown);
    }
}
