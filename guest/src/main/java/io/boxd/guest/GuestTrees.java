package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.io.InputStream;

/**
 * Whole folders of a machine as tar archives, packed and unpacked inside the machine with a user's rights.
 *
 * <p>Kept are names, permissions, owners, times to the nanosecond, links of both kinds and holes in files; not
 * kept are devices, pipes, sockets and extended attributes. An archive from a machine is hostile data: whoever
 * unpacks it elsewhere must not trust its names.
 */
public final class GuestTrees {
    private static final int COPY_BYTES = 64 * 1024;

    private final Tasks tasks;

    GuestTrees(Tasks tasks) {
        this.tasks = tasks;
    }

    /** What has become of an archive. */
    public record Unpacked(long entries, long skipped, long contentBytes) {}

    /** Packs a folder; the archive is read from what is returned, for which the deadline does not hold. */
    public TreeDownload pack(GuestPath folder, Deadline deadline) {
        PayloadWriter request = tasks.request(Tasks.PACK).string(folder.bytes());
        return new TreeDownload(tasks.open(request, deadline, "packing " + folder));
    }

    /**
     * Unpacks an archive into a folder, which is made if it is missing. What has the same name is replaced; an
     * archive that leads out of the folder is refused, and what came before that entry stays.
     *
     * @param owners whether files get the owners that the archive names, which only root can do
     */
    public Unpacked unpack(GuestPath folder, InputStream archive, boolean owners, Deadline deadline) {
        PayloadWriter request =
                tasks.request(Tasks.UNPACK).string(folder.bytes()).flag(owners);
        String what = "unpacking into " + folder;
        try (Tunnel tunnel = tasks.open(request, deadline, what)) {
            byte[] chunk = new byte[COPY_BYTES];
            for (int count = take(archive, chunk); count >= 0; count = take(archive, chunk)) {
                if (deadline.passed()) {
                    throw deadline.exceeded(what);
                }
                send(tunnel, chunk, count);
            }
            finish(tunnel);
            return Tasks.result(tunnel, GuestTrees::unpacked, deadline);
        }
    }

    private static Unpacked unpacked(PayloadReader reader) throws ProtocolException {
        return new Unpacked(reader.count(), reader.count(), reader.count());
    }

    private static int take(InputStream archive, byte[] chunk) {
        try {
            return archive.read(chunk);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the archive could not be read: " + e.getMessage(), e);
        }
    }

    private static void send(Tunnel tunnel, byte[] chunk, int count) {
        try {
            tunnel.input().write(chunk, 0, count);
        } catch (IOException e) {
            throw tunnel.explain(e);
        }
    }

    private static void finish(Tunnel tunnel) {
        try {
            tunnel.input().close();
        } catch (IOException e) {
            throw tunnel.explain(e);
        }
    }
}
