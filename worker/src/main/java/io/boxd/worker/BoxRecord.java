package io.boxd.worker;

/**
 * What must be remembered of boxes and kept snapshots, whatever ends the server.
 *
 * <p>Changed by commands only: the same commands in the same order make the same rows, anywhere.
 */
interface BoxRecord {
    /** All rows, as the last command left them; does not change. */
    BoxRows rows();

    /** Applies a command, or throws and changes nothing; it lasts when this returns. */
    Outcome apply(BoxCommand command);
}
