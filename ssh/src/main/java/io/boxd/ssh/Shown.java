package io.boxd.ssh;

import io.boxd.common.Json;
import io.boxd.common.PlainJson;
import io.boxd.control.Happening;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Parameter;
import io.boxd.verbs.Request;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Requests and answers between the two forms in which JSON is held: for control, and for people's eyes. */
final class Shown {
    private Shown() {}

    /** What was said with a verb, as control takes it. */
    static ObjectNode said(Request request) {
        Map<String, @Nullable Object> said = new LinkedHashMap<>(request.fields());
        for (Parameter parameter : request.verb().parameters()) {
            if (request.verb().isInPath(parameter) && request.has(parameter.field())) {
                said.put(parameter.field(), request.values().get(parameter.field()));
            }
        }
        return (ObjectNode) Json.parse(PlainJson.write(said));
    }

    static Fields fields(Happening.Ended ended) {
        return fields(ended.json());
    }

    static Fields fields(ObjectNode json) {
        return Fields.of(PlainJson.parse(Json.write(json)));
    }
}
