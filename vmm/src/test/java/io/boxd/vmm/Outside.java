package io.boxd.vmm;

import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A folder on the host that nothing may touch, with a file in it, and a way to see whether something did. */
final class Outside implements AutoCloseable {
    private final Path folder;

    Outside() throws IOException {
        folder = Files.createTempDirectory("boxd-outside-");
        Files.writeString(flag(), "untouched\n");
    }

    Path folder() {
        return folder;
    }

    Path flag() {
        return folder.resolve("flag");
    }

    /** Every entry with its content, owner, mode, times and number of names. */
    Map<String, String> state() throws IOException {
        return state(folder);
    }

    static Map<String, String> state(Path root) throws IOException {
        Map<String, String> state = new TreeMap<>();
        try (Stream<Path> tree = Files.walk(root)) {
            for (Path entry : tree.toList()) {
                String content = Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS) ? Files.readString(entry) : "";
                String attributes = Files.readAttributes(
                                entry, "unix:mode,uid,gid,nlink,size,ino,lastModifiedTime", LinkOption.NOFOLLOW_LINKS)
                        .entrySet()
                        .stream()
                        .sorted(Map.Entry.comparingByKey())
                        .toList()
                        .toString();
                state.put(root.relativize(entry).toString(), attributes + content);
            }
        }
        return state;
    }

    @Override
    public void close() {
        FileOwner.deleteTree(folder);
    }
}
