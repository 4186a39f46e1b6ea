package io.boxd.guest;

/** The two ways out of a command. */
public enum OutputChannel {
    STDOUT,
    STDERR
}
