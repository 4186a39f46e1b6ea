package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Command;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import io.boxd.linux.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Copies the host's QEMU into bundles, each under the hash of what is in it. */
final class QemuBundles {
    private static final List<String> FIRMWARE = List.of("bios-microvm.bin", "linuxboot_dma.bin", "pvh.bin");
    private static final List<Path> FIRMWARE_FOLDERS =
            List.of(Path.of("/usr/share/qemu"), Path.of("/usr/share/seabios"), Path.of("/usr/lib/ipxe/qemu"));
    private static final Pattern VERSION = Pattern.compile("version (\\d+)\\.(\\d+)");
    private static final Pattern LIBRARY = Pattern.compile("(/\\S+)\\s+\\(0x[0-9a-f]+\\)");
    private static final String PRELOAD = "/usr/lib/boxd/readonly-base.so";

    private final Path store;
    private final Path held;
    private final Path preload;

    /**
     * @param store where bundles are made, shared with other instances
     * @param held the instance's own hold on those it uses, which nobody else can take away
     * @param preload the library that makes an old QEMU open its memory file read-only
     */
    QemuBundles(Path store, Path held, Path preload) {
        this.store = store;
        this.held = held;
        this.preload = preload;
    }

    /** A bundle that this instance has used before. */
    QemuBundle find(BaseFacts.BundleFacts facts) {
        QemuBundle bundle = QemuBundle.in(held, facts.key(), facts.major(), facts.minor());
        if (!Files.isDirectory(bundle.root())) {
            throw new BoxdException(ErrorCode.WRONG_STATE, "the QEMU that saved it is not there any more");
        }
        return bundle;
    }

    private void hold(QemuBundle shared, QemuBundle own) {
        Path unfinished = held.resolve("unfinished-" + UUID.randomUUID());
        try {
            FileOwner.folder(held);
            FileTree.link(shared.folder(), unfinished);
            Durable.publish(unfinished, own.folder());
        } catch (IOException e) {
            FileOwner.deleteTree(unfinished);
            throw Durable.failure("cannot keep QEMU in " + held, e);
        }
    }

    /** Deletes bundles that are not among these. */
    void sweep(Set<String> keys) {
        try (Stream<Path> entries = Files.list(held)) {
            entries.filter(entry -> !keys.contains(entry.getFileName().toString()))
                    .forEach(FileOwner::deleteTree);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot look into " + held, e);
        }
    }

    /** The bundle of the QEMU that is installed on the host now, copied if it is not there yet. */
    QemuBundle ofHost(Deadline deadline) {
        Path program = Path.of(QemuBundle.PROGRAM);
        if (!Files.isExecutable(program)) {
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE, "QEMU is not installed", "Install the package qemu-system-x86.", null);
        }
        String banner =
                Command.of(program.toString(), "--version").check(deadline).output();
        Matcher version = VERSION.matcher(banner);
        if (!version.find()) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "cannot tell the version of " + program);
        }
        int major = Integer.parseInt(version.group(1));
        int minor = Integer.parseInt(version.group(2));
        BundleSources sources = BundleSources.of(filesOfHost(program, deadline), PRELOAD, major, minor);
        QemuBundle own = QemuBundle.in(held, sources.contents().key(), major, minor);
        if (!Files.isDirectory(own.folder())) {
            QemuBundle shared = QemuBundle.in(store, own.key(), major, minor);
            if (!isWhole(shared)) {
                FileOwner.deleteTree(shared.folder());
                copy(sources, shared);
            }
            hold(shared, own);
        }
        return own;
    }

    /** Path inside the bundle → file on the host. */
    private Map<String, Path> filesOfHost(Path program, Deadline deadline) {
        Map<String, Path> files = new TreeMap<>();
        files.put(program.toString(), program);
        List<Path> linked = new ArrayList<>(List.of(program));
        for (Path module : accelerators()) {
            files.put(module.toString(), module);
            linked.add(module);
        }
        for (Path binary : linked) {
            Matcher libraries = LIBRARY.matcher(
                    Command.of("ldd", binary.toString()).check(deadline).output());
            while (libraries.find()) {
                files.put(libraries.group(1), Path.of(libraries.group(1)));
            }
        }
        for (String name : FIRMWARE) {
            for (Path folder : FIRMWARE_FOLDERS) {
                if (Files.exists(folder.resolve(name))) {
                    files.putIfAbsent("/usr/share/qemu/" + name, folder.resolve(name));
                }
            }
        }
        files.put(PRELOAD, preload);
        return files;
    }

    /** Some distributions build accelerators as modules, found at a fixed place below the libraries. */
    private static List<Path> accelerators() {
        Path modules = Path.of("/usr/lib/x86_64-linux-gnu/qemu");
        if (!Files.isDirectory(modules)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(modules)) {
            return entries.filter(p -> p.getFileName().toString().startsWith("accel-tcg-x86_64"))
                    .toList();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot list QEMU's modules", e);
        }
    }

    /** What was damaged in the cache is only copied again; nobody shares a damaged file. */
    private static boolean isWhole(QemuBundle shared) {
        try {
            BundleContents.of(shared)
                    .files()
                    .forEach(part -> part.requireContent(shared.root().resolve(part.name())));
            return true;
        } catch (BoxdException e) {
            return false;
        }
    }

    private void copy(BundleSources sources, QemuBundle bundle) {
        Path unfinished = store.resolve("unfinished-" + UUID.randomUUID());
        try {
            FileOwner.folder(store);
            Files.createDirectory(unfinished);
            sources.copy(Files.createDirectory(unfinished.resolve("root")));
            sources.contents().write(unfinished.resolve(bundle.contents().getFileName()));
            Files.move(unfinished, bundle.folder(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            FileOwner.deleteTree(unfinished);
            if (!Files.isDirectory(bundle.folder())) {
                throw Durable.failure("cannot copy QEMU into " + store, e);
            }
        }
    }
}
