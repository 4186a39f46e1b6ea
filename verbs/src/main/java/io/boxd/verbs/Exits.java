package io.boxd.verbs;

import io.boxd.common.ErrorCode;

/** The statuses with which commands end, at every door that has such a thing. */
public final class Exits {
    public static final int DONE = 0;
    /** What was asked for is not so. */
    public static final int FAILED = 1;
    /** A command was stopped by its timeout. */
    public static final int TIMED_OUT = 124;
    /** boxd itself failed, so there is no status of the command to pass on. */
    public static final int NOT_RUN = 125;
    /** Added to the number of the signal that ended a command. */
    public static final int SIGNALLED = 128;

    private Exits() {}

    public static int of(ErrorCode code) {
        return switch (code) {
            case INTERNAL -> 1;
            case INVALID_ARGUMENT -> 2;
            case NOT_FOUND -> 3;
            case ALREADY_EXISTS, WRONG_STATE -> 4;
            case UNAUTHENTICATED, PERMISSION_DENIED -> 5;
            case QUOTA_EXCEEDED, RESOURCE_EXHAUSTED -> 6;
            case TIMEOUT, UNAVAILABLE -> 7;
        };
    }
}
