package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.verbs.Exits;
import java.util.function.Supplier;

/** The door at which verbs are said: a line that came with the session, or one after the other at a prompt. */
final class ControlDoor {
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
            case Wish.Shell() -> new Ending.Status(deeds.perform("help"));
            case Wish.Subsystem(String name) -> refuse(conversation, name);
        };
    }

    private static Ending refuse(Conversation conversation, String name) {
        Refusal.tell(
                conversation,
                new BoxdException(
                        io.boxd.common.ErrorCode.INVALID_ARGUMENT,
                        "there is no " + name + " at this door",
                        "Files are at the door of a box: " + name + " BOX@HOST.",
                        null));
        return new Ending.Status(Exits.FAILED);
    }
}
