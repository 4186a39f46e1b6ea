package io.boxd.linux;

import java.util.Map;

/** Names of the error numbers that our calls can meet, so that messages need no table beside them. */
public final class Errno {
    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(1, "not permitted (EPERM)"),
            Map.entry(2, "no such file (ENOENT)"),
            Map.entry(3, "no such process (ESRCH)"),
            Map.entry(4, "interrupted (EINTR)"),
            Map.entry(5, "I/O error (EIO)"),
            Map.entry(6, "no such device or address (ENXIO)"),
            Map.entry(9, "bad descriptor (EBADF)"),
            Map.entry(11, "try again (EAGAIN)"),
            Map.entry(12, "out of memory (ENOMEM)"),
            Map.entry(13, "permission denied (EACCES)"),
            Map.entry(14, "bad address (EFAULT)"),
            Map.entry(16, "busy (EBUSY)"),
            Map.entry(17, "exists already (EEXIST)"),
            Map.entry(19, "no such device (ENODEV)"),
            Map.entry(22, "invalid argument (EINVAL)"),
            Map.entry(24, "too many open files (EMFILE)"),
            Map.entry(25, "not supported by this device (ENOTTY)"),
            Map.entry(27, "file too large (EFBIG)"),
            Map.entry(28, "no space left (ENOSPC)"),
            Map.entry(30, "read-only file system (EROFS)"),
            Map.entry(38, "not in this kernel (ENOSYS)"),
            Map.entry(95, "not supported (EOPNOTSUPP)"),
            Map.entry(100, "network is down (ENETDOWN)"),
            Map.entry(101, "network is unreachable (ENETUNREACH)"),
            Map.entry(105, "no buffer space (ENOBUFS)"));

    private Errno() {}

    public static String text(int errno) {
        return NAMES.getOrDefault(errno, "errno " + errno);
    }
}
