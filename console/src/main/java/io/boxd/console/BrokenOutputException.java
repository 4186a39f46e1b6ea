package io.boxd.console;

import java.io.IOException;

/** Whoever read our output has gone. */
public final class BrokenOutputException extends IOException {
    public BrokenOutputException(IOException cause) {
        super("nobody reads the output any more", cause);
    }
}
