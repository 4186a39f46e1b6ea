package io.boxd.guest;

import io.boxd.common.Deadline;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A program in a machine whose bytes only pass through.
 *
 * <p>Nothing that it says is kept; it ends when this is closed, or with the connection. What is not read stops it.
 */
public final class GuestProgram implements AutoCloseable {
    private final Execution execution;
    private final InputStream output;
    private final InputStream errors;

    GuestProgram(Execution execution) {
        this.execution = execution;
        this.output = execution.stdout();
        this.errors = execution.stderr();
    }

    /** What it reads; closing it is the end of its input. */
    public OutputStream input() {
        return execution.stdin();
    }

    /** What it says; ends when the program has closed it, or has ended. */
    public InputStream output() {
        return output;
    }

    /** What it says to be read by people, likewise. */
    public InputStream errors() {
        return errors;
    }

    /** Waits until output can be read or its end is known; false if the deadline came first. */
    public boolean awaitOutput(Deadline deadline) {
        return execution.awaitBytes(OutputChannel.STDOUT, deadline);
    }

    /** As {@link #awaitOutput} for {@link #errors}. */
    public boolean awaitErrors(Deadline deadline) {
        return execution.awaitBytes(OutputChannel.STDERR, deadline);
    }

    /** Signals the program and its process group. */
    public void signal(int number) {
        execution.signal(number);
    }

    /** Waits for its end; what it has said up to then has arrived and can be read. */
    public ExitStatus await(Deadline deadline) {
        return execution.await(deadline);
    }

    /** Hangs up: SIGHUP if it has not ended, and SIGKILL if it stays. */
    @Override
    public void close() {
        execution.close();
    }
}
