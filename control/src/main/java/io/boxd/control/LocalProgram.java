package io.boxd.control;

import io.boxd.common.Deadline;
import io.boxd.guest.ExitStatus;
import io.boxd.guest.GuestProgram;
import java.io.InputStream;
import java.io.OutputStream;

/** A program in a box of this host. */
final class LocalProgram implements BoxProgram {
    private final GuestProgram program;
    private final Attention attention;
    private final OutputStream input;
    private final InputStream output;
    private final InputStream errors;

    LocalProgram(GuestProgram program, Attention attention) {
        this.program = program;
        this.attention = attention;
        this.input = new WakingOutput(program.input(), attention);
        this.output = new RestingInput(program.output(), program::awaitOutput, attention);
        this.errors = new RestingInput(program.errors(), program::awaitErrors, attention);
    }

    @Override
    public OutputStream input() {
        return input;
    }

    @Override
    public InputStream output() {
        return output;
    }

    @Override
    public InputStream errors() {
        return errors;
    }

    @Override
    public void signal(String name) {
        int number = Signals.number(name);
        attention.take(Deadline.in(Limits.WAKE));
        program.signal(number);
    }

    @Override
    public ExitStatus await(Deadline deadline) {
        return program.await(deadline);
    }

    @Override
    public void close() {
        try (attention) {
            program.close();
        }
    }
}
