package io.boxd.worker;

import io.boxd.guest.AgentConnection;

/**
 * Keeps a box awake until it is closed; however many there are, the box is woken once.
 *
 * <p>Not inherited by a later server: whoever needs the box takes one again.
 */
public interface Hold extends AutoCloseable {
    /** The box as it was when the hold was taken. */
    Box box();

    /** The way to run commands in it; a new one if the machine has been replaced or its agent restarted. */
    AgentConnection agent();

    /** Something has happened: the idle time begins anew even for holds that are quiet. */
    void touch();

    @Override
    void close();
}
