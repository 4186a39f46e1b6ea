package io.boxd.ledger;

import java.sql.SQLException;

/** The file of the state could not be read or written, which says nothing about the command that wanted it. */
final class StorageFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final SQLException cause;

    StorageFailure(SQLException cause) {
        super(cause.getMessage(), cause);
        this.cause = cause;
    }

    SQLException sql() {
        return cause;
    }
}
