package io.boxd.cli;

import java.io.IOException;

/** What came is no answer as HTTP has it. */
final class HttpSyntaxException extends IOException {
    HttpSyntaxException(String message) {
        super(message);
    }
}
