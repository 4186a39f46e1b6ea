package io.boxd.ssh;

/** How a session ends, as its client is told. */
sealed interface Ending {
    /** With a status. */
    record Status(int number) implements Ending {}

    /** By a signal, named without {@code SIG}. */
    record Signal(String name) implements Ending {}
}
