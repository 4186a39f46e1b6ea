package io.boxd.guest.image;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.common.Shapes;
import io.boxd.linux.Durable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The images that an instance has names for: those that boxd brings, and those that somebody described.
 *
 * <p>A description is a file of the instance; what is built from it lies in the cache, which instances share. Safe for
 * use by several threads.
 */
public final class ImageCatalog {
    private static final List<ImageRecipe> OURS = List.of(ImageRecipe.base(), ImageRecipe.ubuntu(), ImageRecipe.tiny());
    private static final String SUFFIX = ".json";

    private final ImageStore store;
    private final Path agent;
    private final Path descriptions;

    /**
     * Images with this agent.
     *
     * @param descriptions the folder for recipes that boxd does not bring; made with the first one
     */
    public ImageCatalog(Path cache, Path agent, Path descriptions) {
        this.store = new ImageStore(cache);
        this.agent = agent;
        this.descriptions = descriptions;
    }

    /** Ours first, then those described, by name. */
    public List<ImageRecipe> recipes() {
        return Stream.concat(OURS.stream(), described().stream()).toList();
    }

    /** Throws, naming those there are, if there is none with this name. */
    public ImageRecipe recipe(String name) {
        return find(OURS, name)
                .or(() -> find(described(), name))
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.NOT_FOUND,
                        "there is no image '" + name + "'",
                        "There are: "
                                + recipes().stream().map(ImageRecipe::name).collect(Collectors.joining(", "))
                                + ". More by: boxd image build NAME --recipe FILE",
                        null));
    }

    /** The image, built if need be; each stage of that is told. */
    public Image obtain(String name, Consumer<String> progress, Deadline deadline) {
        return store.obtain(recipe(name), agent, progress, deadline);
    }

    /** The image if nothing of it has to be built. */
    public Optional<Image> built(ImageRecipe recipe) {
        return store.find(recipe, agent);
    }

    /** Builds an image of a new kind and then remembers how; an older one of this name is what its boxes keep. */
    public Image add(ImageRecipe recipe, Consumer<String> progress, Deadline deadline) {
        requireName(recipe.name());
        Image image = store.obtain(recipe, agent, progress, deadline);
        Path file = file(recipe.name());
        try {
            Files.createDirectories(descriptions);
            Path unfinished = Files.createTempFile(descriptions, recipe.name(), ".unfinished");
            Files.writeString(unfinished, Json.writePretty(recipe), StandardCharsets.UTF_8);
            Durable.publish(unfinished, file);
        } catch (IOException e) {
            throw Durable.failure("cannot write " + file, e);
        }
        return image;
    }

    /** Forgets how to make an image. Boxes made from it go on, and what was built stays in the cache. */
    public void forget(String name) {
        refuseOurs(recipe(name).name());
        try {
            Files.deleteIfExists(file(name));
            Durable.syncFolder(descriptions);
        } catch (IOException e) {
            throw Durable.failure("cannot delete " + file(name), e);
        }
    }

    private static void requireName(String name) {
        if (!Shapes.isName(name)) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "an image cannot have this name",
                    "Use up to 40 of a-z, 0-9 and hyphens; no hyphen at either end.",
                    null);
        }
        refuseOurs(name);
    }

    private static void refuseOurs(String name) {
        if (find(OURS, name).isPresent()) {
            throw new BoxdException(
                    ErrorCode.ALREADY_EXISTS,
                    "the image '" + name + "' belongs to boxd itself",
                    "Choose another name for your own.",
                    null);
        }
    }

    private static Optional<ImageRecipe> find(List<ImageRecipe> recipes, String name) {
        return recipes.stream().filter(recipe -> recipe.name().equals(name)).findFirst();
    }

    private Path file(String name) {
        return descriptions.resolve(name + SUFFIX);
    }

    private List<ImageRecipe> described() {
        if (!Files.isDirectory(descriptions)) {
            return List.of();
        }
        Predicate<Path> finished = file -> file.getFileName().toString().endsWith(SUFFIX);
        try (Stream<Path> files = Files.list(descriptions)) {
            return files.filter(finished).sorted().map(ImageCatalog::read).toList();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read " + descriptions, e);
        }
    }

    private static ImageRecipe read(Path file) {
        try {
            return Json.read(Files.readString(file), ImageRecipe.class);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read the image recipe " + file, e);
        }
    }
}
