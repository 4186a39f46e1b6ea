package io.boxd.control;

import io.boxd.common.Deadline;

/** Something in a box that says things, one after the other. */
public sealed interface BoxStream extends AutoCloseable permits ExecutionStream, ConsoleStream {
    /** Waits for what comes next, no longer than the deadline. Nothing follows after an end. */
    Happening next(Deadline deadline);

    @Override
    void close();
}
