package io.boxd.guest;

import java.nio.charset.StandardCharsets;

/** How a command ended and what it said, each channel up to a limit. */
public final class CommandOutput {
    private final ExitStatus status;
    private final Captured stdout;
    private final Captured stderr;

    CommandOutput(ExitStatus status, Captured stdout, Captured stderr) {
        this.status = status;
        this.stdout = stdout;
        this.stderr = stderr;
    }

    public ExitStatus status() {
        return status;
    }

    public byte[] stdout() {
        return stdout.bytes();
    }

    public byte[] stderr() {
        return stderr.bytes();
    }

    public String stdoutText() {
        return new String(stdout.bytes(), StandardCharsets.UTF_8);
    }

    public String stderrText() {
        return new String(stderr.bytes(), StandardCharsets.UTF_8);
    }

    /** Whether the command said more than was kept. */
    public boolean truncated() {
        return stdout.truncated() || stderr.truncated();
    }
}
