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
    private static final int EISDIR = 21;
    private static final int EINVAL = 22;
    private static final int EMFILE = 24;
    private static final int ENOSPC = 28;
    private static final int EROFS = 30;
    private static final int ENAMETOOLONG = 36;
    private static final int ENOTEMPTY = 39;
    private static final int ELOOP = 40;
    private static final int EBADMSG = 74;
    private static final int EOPNOTSUPP = 95;
    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;
    private static final int ENETDOWN = 100;
    private static final int ENETUNREACH = 101;
    private static final int ECONNRESET = 104;
    private static final int ETIMEDOUT = 110;
    private static final int ECONNREFUSED = 111;
    private static final int EHOSTDOWN = 112;
    private static final int EHOSTUNREACH = 113;
    private static final int EDQUOT = 122;

    private Refusals() {}

    static BoxdException toException(AgentMessage.Refused refused) {
        ErrorCode code = switch (refused.errno()) {
            case ENOENT, ENOTDIR -> ErrorCode.NOT_FOUND;
            case EPERM, EACCES, EROFS -> ErrorCode.PERMISSION_DENIED;
            case EAGAIN, ENOMEM, EMFILE, ENOSPC, EDQUOT -> ErrorCode.RESOURCE_EXHAUSTED;
            case EINVAL, E2BIG, ENAMETOOLONG, ELOOP, EBADMSG, EOPNOTSUPP, EADDRNOTAVAIL -> ErrorCode.INVALID_ARGUMENT;
            case EBUSY, ESRCH, EISDIR, ENOTEMPTY -> ErrorCode.WRONG_STATE;
            case EEXIST, EADDRINUSE -> ErrorCode.ALREADY_EXISTS;
            case ECONNREFUSED, ECONNRESET, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH -> ErrorCode.UNAVAILABLE;
            case ETIMEDOUT -> ErrorCode.TIMEOUT;
            default -> ErrorCode.INTERNAL;
        };
        return new BoxdException(code, refused.message());
    }
}
