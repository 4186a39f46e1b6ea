package io.boxd.api;

import io.boxd.common.Json;
import io.boxd.control.BoxStream;
import io.boxd.control.ConsoleStream;
import io.boxd.control.ExecutionStream;
import io.boxd.control.Following;
import tools.jackson.databind.node.ObjectNode;

/** What the first message of a stream says about it. */
final class StreamFacts {
    private StreamFacts() {}

    static ObjectNode started(Following following) {
        return Json.object().put("after", following.position());
    }

    static ObjectNode started(BoxStream stream) {
        ObjectNode facts = Json.object();
        switch (stream) {
            case ExecutionStream execution ->
                facts.put("exec_id", execution.execution())
                        .put("offset", execution.firstOffset())
                        .put("tty", execution.isTerminal())
                        .put("snapshot_id", execution.snapshot().orElse(null))
                        .put("input_offset", execution.inputOffset());
            case ConsoleStream _ ->
                facts.putNull("exec_id")
                        .put("offset", 0)
                        .put("tty", false)
                        .putNull("snapshot_id")
                        .put("input_offset", 0);
        }
        return facts;
    }
}
