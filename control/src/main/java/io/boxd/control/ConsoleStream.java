package io.boxd.control;

/** What a box writes to its serial console; only the last kilobytes of it are known at any moment. */
public non-sealed interface ConsoleStream extends BoxStream {}
