package io.boxd.ssh;

/** How a client has gone. */
enum Leaving {
    /** It has said so: somebody pressed Ctrl-C, or closed a window. */
    DELIBERATE,
    /** The connection broke. */
    LOST,
    /** This server ends, or the client may not be here any more. */
    SENT_AWAY
}
