package io.boxd.linux;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Where a process has one file mapped; found by device and inode, since a jail changes its path. */
public record FileMapping(long address, long bytes) {
    /** Finds the mapping of the whole file; the kernel may list it in several adjoining pieces. */
    public static FileMapping find(int pid, Path file) {
        try {
            long inode = (Long) Files.getAttribute(file, "unix:ino");
            String device = deviceInMaps((Long) Files.getAttribute(file, "unix:dev"));
            List<String> maps = Files.readAllLines(Path.of("/proc", Integer.toString(pid), "maps"));
            long start = 0;
            long end = 0;
            for (String line : maps) {
                String[] fields = line.split("\\s+", 6);
                if (!fields[3].equals(device) || !fields[4].equals(Long.toString(inode))) {
                    continue;
                }
                int dash = fields[0].indexOf('-');
                long from = Long.parseUnsignedLong(fields[0].substring(0, dash), 16);
                long to = Long.parseUnsignedLong(fields[0].substring(dash + 1), 16);
                if (end != 0 && from != end) {
                    throw new BoxdException(
                            ErrorCode.INTERNAL, "process " + pid + " maps " + file + " in more than one place");
                }
                start = end == 0 ? from : start;
                end = to;
            }
            if (end == 0) {
                throw new BoxdException(ErrorCode.INTERNAL, "process " + pid + " has not mapped " + file);
            }
            return new FileMapping(start, end - start);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "cannot read the memory map of process " + pid, e);
        }
    }

    /** The kernel's own split of a device number, printed the way /proc/PID/maps prints it. */
    private static String deviceInMaps(long device) {
        long major = ((device >> 8) & 0xfff) | ((device >> 32) & ~0xfffL);
        long minor = (device & 0xff) | ((device >> 12) & ~0xffL);
        return "%02x:%02x".formatted(major, minor);
    }
}
