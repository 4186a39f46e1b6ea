package io.boxd.vmm;

import io.boxd.vmm.ProcessFacts.OpenFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Which files the process of a cell may have open, and how. */
final class OpenFileRules {
    private static final Set<String> KERNEL_OBJECTS =
            Set.of("anon_inode:[eventfd]", "anon_inode:[eventpoll]", "anon_inode:[signalfd]", "anon_inode:[timerfd]");

    private final Map<String, Predicate<OpenFile>> files = new HashMap<>();
    private final Set<String> frozen = new HashSet<>();
    private final Set<Long> devices = new HashSet<>();
    private final Set<String> localSockets = new HashSet<>();
    private final Set<String> layers = new HashSet<>();

    OpenFileRules(Cell cell, ProcessFacts facts) throws IOException {
        CellFolder folder = cell.folder();
        allow(folder.log(), OpenFile::appendsOnly);
        allow(folder.path().resolve("saved"), OpenFile::appendsOnly);
        allow(folder.path().resolve("incoming"), OpenFile::readOnly);
        freeze(cell.plan().memory());
        for (Path file : cell.plan().readOnlyFiles().values()) {
            freeze(file);
        }
        try (Stream<Path> disks = Files.list(folder.disk())) {
            for (Path disk : disks.toList()) {
                boolean own = (int) Files.getAttribute(disk, "unix:uid") == folder.uid();
                if (own) {
                    allow(disk, file -> true);
                } else {
                    freeze(disk);
                }
            }
        }
        Path kept = folder.path().resolveSibling("..").normalize().resolve("layers");
        if (Files.isDirectory(kept)) {
            addLayers(kept);
        }
        devices.add(ProcessFacts.device(Path.of("/dev/null")));
        devices.add(ProcessFacts.device(Path.of("/dev/net/tun")));
        for (Path list : List.of(Path.of("/proc/net/unix"), facts.proc().resolve("net/unix"))) {
            Files.readAllLines(list).forEach(line -> localSockets.add(inode(line)));
        }
    }

    private void addLayers(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path layer : files.toList()) {
                layers.add(ProcessFacts.identity(layer, LinkOption.NOFOLLOW_LINKS));
                frozen.add(ProcessFacts.identity(layer, LinkOption.NOFOLLOW_LINKS));
            }
        }
    }

    private void allow(Path file, Predicate<OpenFile> way) throws IOException {
        files.put(ProcessFacts.identity(file, LinkOption.NOFOLLOW_LINKS), way);
    }

    private void freeze(Path file) throws IOException {
        allow(file, OpenFile::readOnly);
        frozen.add(ProcessFacts.identity(file, LinkOption.NOFOLLOW_LINKS));
    }

    private static String inode(String line) {
        String[] fields = line.strip().split("\\s+", -1);
        return "socket:[" + fields[6] + "]";
    }

    boolean explains(OpenFile file) throws IOException {
        try {
            return explainsOpen(file);
        } catch (NoSuchFileException e) {
            // Closed while we looked: a process that is still starting opens and closes much.
            return true;
        }
    }

    private boolean explainsOpen(OpenFile file) throws IOException {
        String link = file.link();
        if (KERNEL_OBJECTS.contains(link) || localSockets.contains(link)) {
            return true;
        }
        if (!link.startsWith("/")) {
            return false;
        }
        if (ProcessFacts.isCharacterDevice(file.path())) {
            return devices.contains(ProcessFacts.device(file.path()));
        }
        if (isFormerTop(link)) {
            return file.readOnly() && layers.contains(ProcessFacts.identity(file.path()));
        }
        return files.getOrDefault(ProcessFacts.identity(file.path()), other -> false)
                .test(file);
    }

    /** A top that has become a layer lost its name in the cell; its QEMU still reads it. */
    private static boolean isFormerTop(String link) {
        return link.startsWith(Jail.DISK + "/top-") && link.endsWith(" (deleted)");
    }

    private boolean isFrozen(OpenFile file) throws IOException {
        try {
            return frozen.contains(ProcessFacts.identity(file.path()));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Files that other machines share, in hands that could change them. */
    List<String> frozenButWritable(List<OpenFile> open) throws IOException {
        List<String> found = new ArrayList<>();
        for (OpenFile file : open) {
            if (file.link().startsWith("/") && !file.readOnly() && isFrozen(file)) {
                found.add(file.link());
            }
        }
        return found;
    }
}
