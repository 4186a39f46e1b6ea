package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.Caller;
import io.boxd.control.Credential;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Callers on their way inside: by what they have shown, never by who a door says they are. */
final class Callers {
    private static final Pattern SHORT = Pattern.compile("[\\x20-\\x7e]{0,128}");

    private Callers() {}

    static ObjectNode write(Caller caller) {
        ObjectNode json = Json.object().put("door", caller.door()).put("remote", caller.remote());
        caller.request().ifPresent(id -> json.put("request", id));
        caller.shown().ifPresent(shown -> json.setAll(write(shown)));
        return json;
    }

    static ObjectNode write(Credential shown) {
        return switch (shown) {
            case Credential.Token(String secret) -> Json.object().put("token", secret);
            case Credential.Key(String fingerprint) -> Json.object().put("key", fingerprint);
        };
    }

    /** Where they come from, as the door says. */
    static Caller stranger(JsonNode json) {
        Optional<String> request = Optional.ofNullable(json.path("request").asString(null));
        request.ifPresent(Callers::require);
        return Caller.stranger(
                require(json.path("door").asString("")),
                require(json.path("remote").asString("")),
                request);
    }

    private static String require(String text) {
        if (!SHORT.matcher(text).matches()) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "a door says of a caller what cannot be");
        }
        return text;
    }

    /** What they have shown, if anything. */
    static Optional<Credential> shown(JsonNode json) {
        if (json.has("token")) {
            return Optional.of(new Credential.Token(json.path("token").asString("")));
        }
        return json.has("key") ? Optional.of(new Credential.Key(json.path("key").asString(""))) : Optional.empty();
    }
}
