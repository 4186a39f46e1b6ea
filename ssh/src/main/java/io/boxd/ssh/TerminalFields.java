package io.boxd.ssh;

import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/** A client's terminal, as it is said with a command. */
final class TerminalFields {
    private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9+._-]{1,64}");

    private TerminalFields() {}

    static void put(ObjectNode said, Conversation.Terminal terminal) {
        said.put("rows", terminal.rows()).put("columns", terminal.columns());
        if (TYPE.matcher(terminal.type()).matches()) {
            said.withObjectProperty("env").put("TERM", terminal.type());
        }
    }
}
