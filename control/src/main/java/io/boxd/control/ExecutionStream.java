package io.boxd.control;

import java.io.IOException;
import java.util.Optional;

/**
 * A door's part in an execution: what it says, and what is typed into it.
 *
 * <p>One thread reads, others may type. Output not read stops the command; nothing piles up here. The stream
 * outlives the sleep of its box: it goes on where it was when the box is awake again. Closing it does not touch
 * the command.
 */
public non-sealed interface ExecutionStream extends BoxStream {
    /** The execution, as users write it. */
    String execution();

    /** The offset at which this stream began. */
    long firstOffset();

    boolean isTerminal();

    /** Whether anything can be typed into it. */
    boolean takesInput();

    /** How many bytes all clients together had typed into the command when this stream began. */
    long inputOffset();

    /** The snapshot that was taken before the command. */
    Optional<String> snapshot();

    /** Types into the command; waits while it does not read, and wakes its box. */
    void write(byte[] bytes, int offset, int length) throws IOException;

    /** No more will be typed; at a terminal, that is Ctrl-D. */
    void endInput() throws IOException;

    void resize(int rows, int columns);

    /** Signals the command and its process group. */
    void signal(String name);
}
