package io.boxd.cli;

import java.io.IOException;

/** The server does not take more of what is sent; it may have said why. */
final class RefusedContentException extends IOException {
    RefusedContentException(IOException cause) {
        super(cause.getMessage(), cause);
    }
}
