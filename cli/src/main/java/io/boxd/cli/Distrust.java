package io.boxd.cli;

import java.security.cert.CertificateException;

/** Why a server's certificate does not show that it is the server that was asked for. */
final class Distrust extends CertificateException {
    /** The ways in which a certificate can be wrong. */
    enum Kind {
        /** Nobody whom we trust has signed it. */
        UNKNOWN_AUTHORITY,
        /** It is for another name. */
        OTHER_NAME,
        /** It is over, or has not begun. */
        OTHER_TIME
    }

    private final transient Kind kind;

    Distrust(Kind kind, String message, CertificateException cause) {
        super(message, cause);
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }
}
