package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.control.Images;
import io.boxd.guest.image.Image;
import io.boxd.guest.image.ImageRecipe;
import io.boxd.guest.image.ImageStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The images that this program has recipes for. */
final class HostImages implements Images {
    private static final List<ImageRecipe> RECIPES =
            List.of(ImageRecipe.base(), ImageRecipe.ubuntu(), ImageRecipe.tiny());

    private final ImageStore store;
    private final Path agent;
    private final Map<String, Image> built = new ConcurrentHashMap<>();

    HostImages(Path cache, Path agent) {
        this.store = new ImageStore(cache);
        this.agent = agent;
    }

    private static ImageRecipe recipe(String name) {
        return RECIPES.stream()
                .filter(recipe -> recipe.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.NOT_FOUND,
                        "there is no image '" + name + "'",
                        "There are: " + RECIPES.stream().map(ImageRecipe::name).collect(Collectors.joining(", ")) + ".",
                        null));
    }

    /** The image itself, built if need be; each stage of that is told. */
    Image obtain(String name, Consumer<String> progress, Deadline deadline) {
        Image image = store.obtain(recipe(name), agent, progress, deadline);
        built.put(name, image);
        return image;
    }

    @Override
    public List<ImageFacts> list() {
        return RECIPES.stream().map(this::facts).toList();
    }

    private ImageFacts facts(ImageRecipe recipe) {
        Optional<Image> image = Optional.ofNullable(built.get(recipe.name()));
        return new ImageFacts(
                recipe.name(),
                recipe.suite().codename(),
                recipe.kind().name().toLowerCase(Locale.ROOT),
                image.map(Image::diskBytes).orElse(0L),
                image.isPresent(),
                image.map(Image::key).orElse(""));
    }

    @Override
    public void require(String name) {
        recipe(name);
    }

    @Override
    public ImageFacts build(String name, Deadline deadline) {
        obtain(name, _ -> {}, deadline);
        return facts(recipe(name));
    }
}
