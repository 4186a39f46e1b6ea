package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;

/** What the numbers of a machine's errors mean to our callers. */
final class Refusals {
    private static final int EPERM = 1;
    private static final int ENOENT = 2;
    private static final int ESRCH = 3;
    private static final int E2BIG = 7;
    private static final int EAGAIN = 11;
    private static final int ENOMEM = 12;
    private static final int EACCES = 13;
    private static final int EBUSY = 16;
    private static final int EEXIST = 17;
    private static final int ENOTDIR = 20;
    private static final int EINVAL = 22;

    private Refusals() {}

    static BoxdException toException(AgentMessage.Refused refused) {
        ErrorCode code = switch (refused.errno()) {
            case ENOENT, ENOTDIR -> ErrorCode.NOT_FOUND;
            case EPERM, EACCES -> ErrorCode.PERMISSION_DENIED;
            case EAGAIN, ENOMEM -> ErrorCode.RESOURCE_EXHAUSTED;
            case EINVAL, E2BIG -> ErrorCode.INVALID_ARGUMENT;
            case EBUSY, ESRCH -> ErrorCode.WRONG_STATE;
            case EEXIST -> ErrorCode.ALREADY_EXISTS;
            default -> ErrorCode.INTERNAL;
        };
        return new BoxdException(code, refused.message());
    }
}
