package io.boxd.guest.image;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A "newc" cpio archive, the format the kernel unpacks as its first root file system.
 *
 * <p>Entries are written sorted and without times, so equal contents give equal bytes. Parent folders are added.
 */
final class Cpio {
    private static final int FOLDER = 0040000;
    private static final int FILE = 0100000;
    private static final int LINK = 0120000;

    private final TreeMap<String, Entry> entries = new TreeMap<>();

    private record Entry(int mode, int owner, ByteBuffer data) {
        Entry(int mode, int owner, byte[] bytes) {
            this(mode, owner, ByteBuffer.wrap(bytes).asReadOnlyBuffer());
        }

        byte[] bytes() {
            byte[] bytes = new byte[data.limit()];
            data.get(0, bytes);
            return bytes;
        }
    }

    Cpio folder(String path, int permissions, int owner) {
        return put(path, new Entry(FOLDER | permissions, owner, new byte[0]));
    }

    Cpio file(String path, int permissions, byte[] data) {
        return put(path, new Entry(FILE | permissions, 0, data));
    }

    Cpio link(String path, String target) {
        return put(path, new Entry(LINK | 0777, 0, target.getBytes(StandardCharsets.UTF_8)));
    }

    private Cpio put(String path, Entry entry) {
        for (int slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
            entries.putIfAbsent(path.substring(0, slash), new Entry(FOLDER | 0755, 0, new byte[0]));
        }
        entries.put(path, entry);
        return this;
    }

    void writeTo(OutputStream out) throws IOException {
        int inode = 1;
        for (String path : entries.keySet()) {
            write(out, path, Objects.requireNonNull(entries.get(path)), inode++);
        }
        write(out, "TRAILER!!!", new Entry(0, 0, new byte[0]), 0);
    }

    private static void write(OutputStream out, String path, Entry entry, int inode) throws IOException {
        byte[] name = (path + "\0").getBytes(StandardCharsets.UTF_8);
        StringBuilder header = new StringBuilder("070701");
        int links = (entry.mode() & FOLDER) == FOLDER ? 2 : 1;
        int[] fields = {
            inode,
            entry.mode(),
            entry.owner(),
            entry.owner(),
            links,
            0,
            entry.data().limit(),
            0,
            0,
            0,
            0,
            name.length,
            0
        };
        for (int field : fields) {
            header.append(String.format(Locale.ROOT, "%08x", field));
        }
        out.write(header.toString().getBytes(StandardCharsets.US_ASCII));
        out.write(name);
        pad(out, header.length() + name.length);
        out.write(entry.bytes());
        pad(out, entry.data().limit());
    }

    private static void pad(OutputStream out, int written) throws IOException {
        out.write(new byte[-written & 3]);
    }
}
