package io.boxd.certificates;

import java.time.Instant;
import java.util.Optional;

/** Why there is no certificate, in words for the operator. */
final class IssuanceFailure extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Optional<Instant> notBefore;

    IssuanceFailure(String reason, Optional<Instant> notBefore, Exception cause) {
        super(reason, cause);
        this.notBefore = notBefore;
    }

    IssuanceFailure(String reason) {
        super(reason);
        this.notBefore = Optional.empty();
    }

    String reason() {
        return String.valueOf(getMessage());
    }

    /** When it may be tried again, if the authority says so. */
    Optional<Instant> notBefore() {
        return notBefore;
    }
}
