package io.boxd.worker;

/** What can be asked of a box's life; asking for what is already so succeeds. */
public enum Move {
    PAUSE,
    RESUME,
    HIBERNATE,
    WAKE,
    STOP,
    START,
    REBOOT
}
