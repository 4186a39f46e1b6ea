package io.boxd.guest;

import java.io.IOException;

/** The machine sent something that its agent would not; the connection cannot be trusted further. */
final class ProtocolException extends IOException {
    ProtocolException(String message) {
        super(message);
    }
}
