package io.boxd.guest.image;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/**
 * The images of this host: built when first asked for, shared by every instance that uses the same cache folder.
 *
 * <p>An image is put together from parts (kernel, disk, initramfs), each cached under the hash of what goes into it, so
 * that a new agent costs a second and not the minute that a disk takes. Safe for use by several threads and processes.
 */
public final class ImageStore {
    private static final long TINY_BUILD_BYTES = 600L << 20;
    private static final long SYSTEM_BUILD_BYTES = 2_500L << 20;

    private final Path cache;

    public ImageStore(Path cache) {
        this.cache = cache.toAbsolutePath().normalize();
    }

    /** Returns the image, building what is missing; each stage of that is told to {@code progress}. */
    public Image obtain(ImageRecipe recipe, Path agentBinary, Consumer<String> progress, Deadline deadline) {
        try {
            PartStore store = new PartStore(cache);
            Parts parts = (kind, key, builder) -> store.obtain(kind, key, builder, deadline);
            return assemble(recipe, agentBinary, parts, progress, deadline);
        } catch (IOException e) {
            boolean full = Objects.requireNonNullElse(e.getMessage(), "").contains("No space left");
            throw new BoxdException(
                    full ? ErrorCode.RESOURCE_EXHAUSTED : ErrorCode.INTERNAL,
                    "cannot build image " + recipe.name() + " in " + cache + ": " + e.getMessage(),
                    e);
        }
    }

    /** The image if nothing of it has to be built. */
    public Optional<Image> find(ImageRecipe recipe, Path agentBinary) {
        try {
            PartStore store = new PartStore(cache);
            Parts built = (kind, key, _) -> store.find(kind, key).orElseThrow(NotBuiltException::new);
            return Optional.of(assemble(recipe, agentBinary, built, _ -> {}, Deadline.in(Duration.ZERO)));
        } catch (NotBuiltException _) {
            return Optional.empty();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read the image cache " + cache, e);
        }
    }

    /** Where the parts of an image come from. */
    private interface Parts {
        PartStore.Part obtain(String kind, String key, PartStore.Builder builder) throws IOException;
    }

    /** A part is not there, and nobody asked for it to be made. */
    private static final class NotBuiltException extends IOException {
        private static final long serialVersionUID = 1;
    }

    private Image assemble(
            ImageRecipe recipe, Path agentBinary, Parts parts, Consumer<String> progress, Deadline deadline)
            throws IOException {
        if (!Files.isRegularFile(agentBinary)) {
            throw new BoxdException(ErrorCode.NOT_FOUND, "there is no guest agent at " + agentBinary);
        }
        Recipes recipes = Recipes.load();
        PartBuilders builders = new PartBuilders(recipe, recipes, progress, deadline);
        String mirror = Objects.requireNonNullElse(recipe.mirror(), "");

        Key kernelKey = new Key("kernel")
                .with(recipe.suite().codename())
                .with(recipe.suite().kernelPackage())
                .with(mirror);
        PartStore.Part kernel = parts.obtain("kernel", kernelKey.hex(), (folder, manifest) -> {
            requireHost(TINY_BUILD_BYTES);
            builders.kernel(folder, manifest);
        });
        PartStore.Part disk = disk(recipe, recipes, parts, builders, kernel);
        String agentHash = Key.ofFile(agentBinary);
        Key initrdKey = new Key("initrd")
                .with(recipe.kind().name())
                .with(kernel.hash("kernel"))
                .with(recipes.list("modules.txt"))
                .with(agentHash);
        if (recipe.kind() == ImageRecipe.Kind.TINY) {
            initrdKey.with(kernel.hash("busybox")).with(recipes.under("tiny"));
        }
        PartStore.Part initrd = parts.obtain("initrd", initrdKey.hex(), (folder, manifest) -> {
            manifest.put("agent_sha256", agentHash);
            builders.initramfs(folder, manifest, kernel, agentBinary);
        });
        return image(recipe, parts, kernel, disk, initrd);
    }

    private PartStore.Part disk(
            ImageRecipe recipe, Recipes recipes, Parts parts, PartBuilders builders, PartStore.Part kernel)
            throws IOException {
        Key key = new Key("disk").with(recipe.kind().name()).with(String.valueOf(recipe.spareBytes()));
        if (recipe.kind() == ImageRecipe.Kind.TINY) {
            String hex = key.hex();
            return parts.obtain("disk", hex, (folder, manifest) -> builders.emptyDisk(folder, manifest, hex));
        }
        key.with(recipe.suite().codename())
                .with(Objects.requireNonNullElse(recipe.mirror(), ""))
                .with(recipes.under("base"))
                .with(kernel.hash("kernel"));
        if (!recipe.packages().isEmpty()) {
            key.with(recipe.packages());
        }
        String hex = key.hex();
        return parts.obtain("disk", hex, (folder, manifest) -> {
            requireHost(SYSTEM_BUILD_BYTES);
            builders.systemDisk(folder, manifest, kernel, hex);
        });
    }

    private static Image image(
            ImageRecipe recipe, Parts parts, PartStore.Part kernel, PartStore.Part disk, PartStore.Part initrd)
            throws IOException {
        String key = new Key("image")
                .with(kernel.hash("kernel"))
                .with(disk.hash("disk.raw"))
                .with(initrd.hash("initrd.cpio"))
                .with(recipe.kernelArguments())
                .with(recipe.settleCommand())
                .hex();
        Image image = new Image(
                recipe.name(),
                key,
                kernel.file("kernel"),
                initrd.file("initrd.cpio"),
                disk.file("disk.raw"),
                disk.manifest().path("disk_bytes").asLong(),
                recipe.kernelArguments(),
                recipe.settleCommand(),
                "boxd",
                new Image.Hashes(kernel.hash("kernel"), initrd.hash("initrd.cpio"), disk.hash("disk.raw")));
        parts.obtain("image-" + recipe.name(), key, (_, manifest) -> {
            ObjectNode facts = Json.tree(image);
            // The parts say where they are; a path would be wrong once the cache is moved.
            facts.remove(List.of("kernel", "initrd", "disk"));
            manifest.set("image", facts);
            ObjectNode made = manifest.putObject("made_of");
            made.set("kernel", kernel.manifest());
            made.set("disk", disk.manifest());
            made.set("initrd", initrd.manifest());
        });
        return image;
    }

    private void requireHost(long bytes) throws IOException {
        Host.requireRoot();
        Host.requireTools(Objects.requireNonNullElse(System.getenv("PATH"), ""));
        Host.requireSpace(cache, bytes);
    }
}
