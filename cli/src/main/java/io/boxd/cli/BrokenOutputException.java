package io.boxd.cli;

import java.io.IOException;

/** Whoever read our output has gone. */
final class BrokenOutputException extends IOException {
    BrokenOutputException(IOException cause) {
        super("nobody reads the output any more", cause);
    }
}
