package io.boxd.guest.image;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Command;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** How each part of an image is made: kernel, disk and initramfs. */
final class PartBuilders {
    private static final String KERNEL = "kernel";
    private static final String BUSYBOX = "busybox";
    private static final int USER_ID = 1000;

    private final ImageRecipe recipe;
    private final Recipes recipes;
    private final Consumer<String> progress;
    private final Deadline deadline;

    PartBuilders(ImageRecipe recipe, Recipes recipes, Consumer<String> progress, Deadline deadline) {
        this.recipe = recipe;
        this.recipes = recipes;
        this.progress = progress;
        this.deadline = deadline;
    }

    /** Unpacks, without installing, what both kinds of image share: kernel, modules and busybox. */
    void kernel(Path folder, ObjectNode manifest) throws IOException {
        progress.accept("fetching the kernel of " + recipe.suite().codename());
        Path tree = folder.resolve("tree");
        new Bootstrap(
                        recipe.suite(),
                        recipe.mirror(),
                        "extract",
                        List.of(recipe.suite().kernelPackage(), "busybox-static"))
                .into(tree, progress, deadline);
        Path packed = only(tree.resolve("boot"), "vmlinuz-");
        String release = packed.getFileName().toString().substring("vmlinuz-".length());
        Path kernel = folder.resolve(KERNEL);
        boolean direct = KernelImage.extract(packed, kernel, deadline);
        if (!direct) {
            Files.deleteIfExists(kernel);
            Files.copy(packed, kernel);
        }
        Files.move(firstOf(tree, "usr/lib/modules", "lib/modules"), folder.resolve("modules"));
        Files.move(firstOf(tree, "usr/bin/busybox", "bin/busybox"), folder.resolve(BUSYBOX));
        Command.of("rm", "-rf", "--one-file-system", tree.toString()).check(deadline);
        manifest.put("suite", recipe.suite().codename());
        manifest.put("release", release);
        manifest.put("kernel_format", direct ? "elf_pvh" : "bzimage");
    }

    /** Installs a whole distribution and turns it into a disk. */
    void systemDisk(Path folder, ObjectNode manifest, PartStore.Part kernel, String key) throws IOException {
        progress.accept("installing " + recipe.suite().codename() + " (about a minute)");
        Path scratch = Files.createDirectory(folder.resolve("scratch"));
        Path root = scratch.resolve("root");
        List<String> packages = new ArrayList<>(recipes.list("base/packages.txt"));
        packages.addAll(recipe.packages());
        new Bootstrap(recipe.suite(), recipe.mirror(), "minbase", packages).into(root, progress, deadline);
        progress.accept("making it a box");
        recipes.unpack("base", scratch.resolve("base"));
        Command.of(
                        "sh",
                        scratch.resolve("base/customize.sh").toString(),
                        root.toString(),
                        scratch.resolve("base/files").toString(),
                        kernel.file("modules").toString())
                .check(deadline);
        String installed = Command.of(
                        "dpkg-query",
                        "--admindir=" + root.resolve("var/lib/dpkg"),
                        "-W",
                        "-f",
                        "${Package} ${Version}\\n")
                .check(deadline)
                .output();
        Files.writeString(folder.resolve("packages.txt"), installed);
        progress.accept("writing the disk");
        long bytes = FileSystemImage.make(folder.resolve("disk.raw"), root, recipe.spareBytes(), key, deadline);
        Command.of("rm", "-rf", "--one-file-system", scratch.toString()).check(deadline);
        manifest.put("disk_bytes", bytes);
        manifest.put("suite", recipe.suite().codename());
        manifest.put("kernel_release", kernel.fact("release"));
    }

    void emptyDisk(Path folder, ObjectNode manifest, String key) throws IOException {
        long bytes = FileSystemImage.make(folder.resolve("disk.raw"), null, recipe.spareBytes(), key, deadline);
        manifest.put("disk_bytes", bytes);
    }

    /**
     * Packs agent and modules, and for the tiny image all there is. Not compressed: that was no faster in emulation
     * and the machine gives the memory back at once.
     */
    void initramfs(Path folder, ObjectNode manifest, PartStore.Part kernel, Path agent) throws IOException {
        progress.accept("packing the initramfs");
        Path scratch = Files.createDirectory(folder.resolve("scratch"));
        SequencedMap<String, byte[]> modules = KernelModules.in(
                        kernel.file("modules").resolve(kernel.fact("release")), scratch)
                .inLoadOrder(recipes.list("modules.txt"), deadline);
        Cpio archive = new Cpio();
        for (String mount : List.of("dev", "proc", "sys", "run", "newroot")) {
            archive.folder(mount, 0755, 0);
        }
        archive.file("init", 0755, Files.readAllBytes(agent));
        modules.forEach((name, bytes) -> archive.file("boxd-modules/" + name, 0644, bytes));
        String order = String.join("\n", modules.sequencedKeySet()) + "\n";
        archive.file("boxd-modules/order", 0644, order.getBytes(StandardCharsets.UTF_8));
        if (recipe.kind() == ImageRecipe.Kind.TINY) {
            tinySystem(archive, kernel.file(BUSYBOX));
        }
        try (var out = new BufferedOutputStream(Files.newOutputStream(folder.resolve("initrd.cpio")))) {
            archive.writeTo(out);
        }
        Command.of("rm", "-rf", scratch.toString()).check(deadline);
        modules.sequencedKeySet().forEach(manifest.putArray("modules")::add);
    }

    private void tinySystem(Cpio archive, Path busybox) throws IOException {
        archive.folder("tmp", 01777, 0)
                .folder("data", 0755, 0)
                .folder("root", 0700, 0)
                .folder("home/boxd", 0755, USER_ID)
                .folder("etc/boxd/on-fork.d", 0755, 0)
                .file("bin/busybox", 0755, Files.readAllBytes(busybox))
                .link("bin/boxd", "/init");
        for (Map.Entry<String, byte[]> file : recipes.under("tiny/files").entrySet()) {
            archive.file(file.getKey(), 0644, file.getValue());
        }
        // The commands are asked of busybox itself, so they are exactly those it has.
        String applets =
                Command.of(busybox.toString(), "--list-full").check(deadline).output();
        applets.lines().filter(path -> !path.endsWith("/busybox")).forEach(path -> archive.link(path, "/bin/busybox"));
    }

    private static Path only(Path folder, String prefix) throws IOException {
        try (Stream<Path> found = Files.list(folder)) {
            List<Path> matching = found.filter(
                            path -> path.getFileName().toString().startsWith(prefix))
                    .toList();
            if (matching.size() != 1) {
                throw new BoxdException(ErrorCode.INTERNAL, "expected one kernel in the package, found " + matching);
            }
            return matching.getFirst();
        }
    }

    private static Path firstOf(Path tree, String... candidates) {
        for (String candidate : candidates) {
            if (Files.exists(tree.resolve(candidate))) {
                return tree.resolve(candidate);
            }
        }
        throw new BoxdException(ErrorCode.INTERNAL, "the packages did not contain " + candidates[0]);
    }
}
