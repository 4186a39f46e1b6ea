package io.boxd.worker;

import io.boxd.vmm.EndReason;

/** Something that may change where a box is in its life. */
sealed interface LifeEvent {
    /** Somebody asks for it. */
    record Asked(Move move) implements LifeEvent {}

    /** Somebody needs a box that runs. */
    record Used() implements LifeEvent {}

    /** Nothing has happened in it for its idle time. */
    record Idle() implements LifeEvent {}

    /** It has stood by for long enough, or its host needs the memory. */
    record Unneeded() implements LifeEvent {}

    /** It has got its machine. */
    record Made() implements LifeEvent {}

    /** It could not be made. */
    record NotMade() implements LifeEvent {}

    /** Its machine runs no more. */
    record Ended(EndReason reason) implements LifeEvent {}

    /** Nobody wants it any more. */
    record Discarded() implements LifeEvent {}
}
