package io.boxd.ssh;

/** What a client asks a session to be. */
sealed interface Wish {
    /** Something to type at. */
    record Shell() implements Wish {}

    /** A line to be done. */
    record Line(String text) implements Wish {}

    /** A protocol by its name, such as {@code sftp}. */
    record Subsystem(String name) implements Wish {}
}
