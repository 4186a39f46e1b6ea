package io.boxd.control;

import io.boxd.common.Deadline;
import io.boxd.guest.ExitStatus;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A program in a box whose bytes only pass through: nothing that it says is kept, and it ends when this is closed.
 *
 * <p>What is not read stops the program; what it does not read stops whoever writes. Two threads may read and one
 * write. It does not outlive its machine's session: when the box is hibernated, restarted or moved, it ends.
 */
public interface BoxProgram extends AutoCloseable {
    /** What the program reads; it leaves at once, so collect small pieces first. Closing it ends the input. */
    OutputStream input();

    /** What the program says; ends when the program has closed it, or has ended. */
    InputStream output();

    /** What it says to be read by people, likewise. */
    InputStream errors();

    /** Signals the program and its process group. */
    void signal(String name);

    /** Waits for its end; everything that it has said by then can be read. */
    ExitStatus await(Deadline deadline);

    /** Hangs up: a program that has not ended gets SIGHUP, and five seconds later SIGKILL. */
    @Override
    void close();
}
