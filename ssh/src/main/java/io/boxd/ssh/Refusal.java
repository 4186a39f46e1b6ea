package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.verbs.Harmless;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells a client, at whichever door, why it gets no session. */
final class Refusal {
    private static final Logger LOG = LoggerFactory.getLogger(Refusal.class);

    private Refusal() {}

    static void tell(Conversation conversation, BoxdException why) {
        StringBuilder text = new StringBuilder("boxd: ").append(Harmless.line(String.valueOf(why.getMessage())));
        String hint = why.hint();
        if (hint != null) {
            text.append("\r\n  ").append(Harmless.line(hint));
        }
        lines(conversation, text + "\r\n");
    }

    /** Text that is our own. */
    static void lines(Conversation conversation, String text) {
        try {
            conversation.errors().write(text.getBytes(StandardCharsets.UTF_8));
            conversation.errors().flush();
        } catch (IOException e) {
            LOG.debug("nobody hears why there is no session", e);
        }
    }
}
