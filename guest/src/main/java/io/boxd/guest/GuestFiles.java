package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The files of one machine, with the rights of one of its users: what that user may not do is refused.
 *
 * <p>Safe for many threads. Everything happens inside the machine; nothing is read from or written to this host.
 */
public final class GuestFiles {
    private static final int COPY_BYTES = 64 * 1024;

    private final Tasks tasks;

    GuestFiles(Tasks tasks) {
        this.tasks = tasks;
    }

    /** What a path leads to, links followed. */
    public FileAttributes stat(GuestPath path, Deadline deadline) {
        return attributes(path, true, deadline);
    }

    /** What a path itself is; a link is a link. */
    public FileAttributes lstat(GuestPath path, Deadline deadline) {
        return attributes(path, false, deadline);
    }

    private FileAttributes attributes(GuestPath path, boolean follow, Deadline deadline) {
        PayloadWriter request = tasks.request(Tasks.STAT).string(path.bytes()).flag(follow);
        return tasks.ask(request, FileAttributes::parse, deadline, "looking at " + path);
    }

    /** The path without links, dots and double slashes. */
    public GuestPath realPath(GuestPath path, Deadline deadline) {
        PayloadWriter request = tasks.request(Tasks.REAL_PATH).string(path.bytes());
        GuestBytes real = tasks.ask(request, reader -> reader.string(Wire.MAX_PATH_BYTES), deadline, "finding " + path);
        return new GuestPath(real);
    }

    /** The file system that a path is on. */
    public FileSystemRoom room(GuestPath path, Deadline deadline) {
        PayloadWriter request = tasks.request(Tasks.ROOM).string(path.bytes());
        return tasks.ask(request, FileSystemRoom::parse, deadline, "looking at the file system of " + path);
    }

    public FolderListing list(GuestPath path, Deadline deadline) {
        PayloadWriter request = tasks.request(Tasks.LIST).string(path.bytes());
        return new FolderListing(tasks.open(request, deadline, "listing " + path));
    }

    /** Opens a file; its content is read from what is returned, for which the deadline does not hold. */
    public FileDownload read(GuestPath path, ReadOptions options, Deadline deadline) {
        PayloadWriter request = tasks.request(Tasks.READ)
                .string(path.bytes())
                .u64(options.offset())
                .u64(options.length())
                .flag(options.special())
                .flag(options.hashed());
        Tunnel tunnel = tasks.begin(request, Tasks.STALL_LIMIT, deadline, "reading " + path);
        PayloadReader head = tunnel.awaitOpened(deadline);
        try {
            FileAttributes attributes = FileAttributes.parse(head);
            head.end();
            return new FileDownload(tunnel, attributes, options.hashed());
        } catch (ProtocolException e) {
            throw tunnel.nonsense(e);
        }
    }

    /** Begins to write a file; nothing of it is seen before it is committed, unless written in place. */
    public FileUpload write(GuestPath path, WriteOptions options, Deadline deadline) {
        PayloadWriter request = tasks.request(Tasks.WRITE)
                .string(path.bytes())
                .u8(options.placement().wireValue())
                .u64(options.offset());
        AttributeChange.number(request, options.mode());
        AttributeChange.number(request, options.uid());
        AttributeChange.number(request, options.gid());
        request.flag(options.parents());
        return new FileUpload(tasks.open(request, deadline, "writing " + path), options.sha256());
    }

    /** Writes all of a stream, which stays open, into a file; how many bytes it was. */
    public long write(GuestPath path, InputStream content, WriteOptions options, Deadline deadline) {
        try (FileUpload upload = write(path, options, deadline)) {
            byte[] chunk = new byte[COPY_BYTES];
            for (int count = take(content, chunk); count >= 0; count = take(content, chunk)) {
                if (deadline.passed()) {
                    throw deadline.exceeded("writing " + path);
                }
                try {
                    upload.write(chunk, 0, count);
                } catch (IOException e) {
                    throw upload.explain(e);
                }
            }
            return upload.commit(deadline);
        }
    }

    private static int take(InputStream content, byte[] chunk) {
        try {
            return content.read(chunk);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the content could not be read: " + e.getMessage(), e);
        }
    }

    /** Makes a folder, with 0755 if no mode is given; with parents it may be there already. */
    public void makeFolder(GuestPath path, @Nullable Integer mode, boolean parents, Deadline deadline) {
        PayloadWriter request = tasks.request(Tasks.MAKE_FOLDER).string(path.bytes());
        AttributeChange.number(request, mode);
        tell(request.flag(parents), deadline, "making the folder " + path);
    }

    public void remove(GuestPath path, Removal removal, Deadline deadline) {
        tell(tasks.request(Tasks.REMOVE).string(path.bytes()).u8(removal.wireValue()), deadline, "removing " + path);
    }

    /** Renames; what has the new name already is replaced only if that is wanted. */
    public void rename(GuestPath from, GuestPath to, boolean replace, Deadline deadline) {
        PayloadWriter request = tasks.request(Tasks.RENAME)
                .string(from.bytes())
                .string(to.bytes())
                .flag(replace);
        tell(request, deadline, "renaming " + from);
    }

    /** Makes a symbolic link; its target may be anything and need not exist. */
    public void makeLink(GuestBytes target, GuestPath path, Deadline deadline) {
        PayloadWriter request =
                tasks.request(Tasks.MAKE_LINK).string(target.toArray()).string(path.bytes());
        tell(request, deadline, "making the link " + path);
    }

    /** Gives a file a further name. */
    public void hardLink(GuestPath existing, GuestPath path, Deadline deadline) {
        PayloadWriter request =
                tasks.request(Tasks.HARD_LINK).string(existing.bytes()).string(path.bytes());
        tell(request, deadline, "making the link " + path);
    }

    /** Changes mode, owner, times or size. */
    public void change(GuestPath path, AttributeChange change, boolean follow, Deadline deadline) {
        PayloadWriter request = tasks.request(Tasks.SET).string(path.bytes()).flag(follow);
        change.encode(request);
        tell(request, deadline, "changing " + path);
    }

    /** Watches a file or folder, with everything below it if that is wanted; returns when it is watched. */
    public FileWatch watch(GuestPath path, boolean recursive, Deadline deadline) {
        PayloadWriter request = tasks.request(Tasks.WATCH).string(path.bytes()).flag(recursive);
        return new FileWatch(tasks.open(request, deadline, "watching " + path));
    }

    private void tell(PayloadWriter request, Deadline deadline, String what) {
        tasks.ask(request, reader -> Boolean.TRUE, deadline, what);
    }
}
