package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.console.Names;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.verbs.Exits;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The door at which verbs are said: a line that came with the session, or one after the other at a prompt. */
final class ControlDoor {
    private static final Logger LOG = LoggerFactory.getLogger(ControlDoor.class);

    private final Control control;
    private final Supplier<Caller> caller;

    /** @param caller who it is, asked anew for each line */
    ControlDoor(Control control, Supplier<Caller> caller) {
        this.control = control;
        this.caller = caller;
    }

    Ending talk(Conversation conversation) {
        Seat seat = Seat.at(conversation);
        Deeds deeds = new Deeds(control, caller, seat, "boxd");
        return switch (conversation.wish()) {
            case Wish.Line(String text) -> new Ending.Status(deeds.perform(text));
            case Wish.Shell() -> new Ending.Status(prompt(seat, deeds));
            case Wish.Subsystem(String name) -> refuse(conversation, name);
        };
    }

    private int prompt(Seat seat, Deeds deeds) {
        if (seat.terminal().isEmpty()) {
            return deeds.perform("help");
        }
        Names names = new Names(
                asked -> Json.write(control.call(caller.get(), asked.verb().name(), Shown.said(asked))), List.of());
        try {
            return new Prompt(deeds, seat, seat.terminal().get(), names).run();
        } catch (IOException e) {
            LOG.debug("a prompt broke off", e);
            return Exits.FAILED;
        }
    }

    private static Ending refuse(Conversation conversation, String name) {
        Refusal.tell(
                conversation,
                new BoxdException(
                        ErrorCode.INVALID_ARGUMENT,
                        "there is no " + name + " at this door",
                        "Files are at the door of a box: " + name + " BOX@HOST.",
                        null));
        return new Ending.Status(Exits.FAILED);
    }
}
