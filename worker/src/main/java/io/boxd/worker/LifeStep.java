package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;

/** What an event means for a box. */
sealed interface LifeStep {
    /** Nothing is to be done. */
    record Stay() implements LifeStep {}

    /** Do this; when it is done the box is there. */
    record Go(Act act, Life to) implements LifeStep {}

    /**
     * It cannot be done from here.
     *
     * @param hint in which {@code %1$s} is the box
     */
    record Refused(String because, String hint) implements LifeStep {
        BoxdException exception(String box) {
            return new BoxdException(ErrorCode.WRONG_STATE, box + " " + because, hint.formatted(box), null);
        }
    }

    /** What can be done to a box; each is one thing that succeeds or leaves the box as it was. */
    enum Act {
        /** Only the record changes. */
        NOTE,
        /** It is written down already. */
        NOTED,
        PAUSE,
        RESUME,
        HIBERNATE,
        WAKE,
        /** Starts a machine from its disk. */
        BOOT,
        /** Has the guest end itself in order. */
        SHUT_DOWN,
        /** Shuts down and boots. */
        REBOOT,
        /** Keeps the disk of a machine that has ended. */
        REST,
        /** Keeps the disk and boots from it. */
        BOOT_AGAIN,
        DISCARD
    }
}
