package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a bundle is copied from, and what it must be then.
 *
 * @param files path inside → file on the host
 * @param texts path inside → content of a file that the host does not have like that
 */
record BundleSources(Map<String, Path> files, Map<String, String> texts, BundleContents contents) {
    BundleSources {
        files = Map.copyOf(files);
        texts = Map.copyOf(texts);
    }

    /** @param preload the library among the files that an old QEMU needs loaded first */
    static BundleSources of(Map<String, Path> files, String preload, int major, int minor) {
        Map<String, String> texts = new TreeMap<>();
        // QEMU wants to read this before it maps memory without reserving it; there is no /proc in the jail.
        texts.put("/proc/sys/vm/overcommit_memory", "0\n");
        if (!QemuBundle.opensMemoryReadOnly(major, minor)) {
            texts.put("/etc/ld.so.preload", preload + "\n");
        }
        List<Part> parts = new ArrayList<>();
        try {
            for (Map.Entry<String, Path> file : files.entrySet()) {
                parts.add(Part.of(file.getValue()).named(file.getKey().substring(1)));
            }
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read the host's QEMU", e);
        }
        texts.forEach((name, text) -> parts.add(Part.of(name.substring(1), text.getBytes(StandardCharsets.UTF_8))));
        return new BundleSources(files, texts, new BundleContents(parts));
    }

    /** Fills an empty folder. */
    void copy(Path root) throws IOException {
        for (Map.Entry<String, Path> file : files.entrySet()) {
            Path target = root.resolve(file.getKey().substring(1));
            Files.createDirectories(target.getParent());
            Files.copy(file.getValue(), target, StandardCopyOption.REPLACE_EXISTING);
            Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("r-xr-xr-x"));
        }
        Files.setPosixFilePermissions(root.resolve(QemuBundle.PROGRAM.substring(1)), QemuBundle.PROGRAM_MODE);
        for (Map.Entry<String, String> text : texts.entrySet()) {
            Path target = root.resolve(text.getKey().substring(1));
            Files.createDirectories(target.getParent());
            Files.writeString(target, text.getValue());
        }
        for (String mountPoint : Jail.MOUNT_POINTS) {
            Files.createDirectories(root.resolve(mountPoint));
        }
        try (Stream<Path> tree = Files.walk(root)) {
            for (Path folder : tree.filter(Files::isDirectory).toList()) {
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        }
    }
}
