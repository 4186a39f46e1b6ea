package io.boxd.guest;

import java.time.Instant;

/**
 * What a machine says about one of its files.
 *
 * @param mode permissions, without the type
 * @param user the owner's name, empty if the machine knows none
 * @param allocatedBytes what the file takes on disk: less than its size if it has holes
 * @param linkTarget where a link leads; empty for everything else
 */
public record FileAttributes(
        FileType type,
        int mode,
        long uid,
        long gid,
        String user,
        String group,
        long size,
        long allocatedBytes,
        long links,
        long inode,
        Instant accessed,
        Instant modified,
        Instant changed,
        GuestBytes linkTarget) {
    private static final int MODE_BITS = 07777;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    static FileAttributes parse(PayloadReader reader) throws ProtocolException {
        FileType type = FileType.ofWire(reader.u8());
        int mode = reader.s32();
        if ((mode & ~MODE_BITS) != 0) {
            throw new ProtocolException("a mode has more than permissions");
        }
        long uid = reader.u32();
        long gid = reader.u32();
        long size = reader.count();
        long allocated = reader.count();
        long links = reader.s64();
        long inode = reader.s64();
        Instant accessed = moment(reader);
        Instant modified = moment(reader);
        Instant changed = moment(reader);
        String user = reader.text(Wire.MAX_NAME_BYTES);
        String group = reader.text(Wire.MAX_NAME_BYTES);
        GuestBytes target = reader.string(Wire.MAX_PATH_BYTES);
        return new FileAttributes(
                type, mode, uid, gid, user, group, size, allocated, links, inode, accessed, modified, changed, target);
    }

    /** A file system may keep moments that are beyond any calendar. */
    private static Instant moment(PayloadReader reader) throws ProtocolException {
        long seconds = reader.s64();
        long nanos = reader.u32();
        if (nanos >= NANOS_PER_SECOND) {
            throw new ProtocolException("a moment has too many nanoseconds");
        }
        long within = Math.clamp(seconds, Instant.MIN.getEpochSecond(), Instant.MAX.getEpochSecond());
        return Instant.ofEpochSecond(within, nanos);
    }
}
