package io.boxd.server;

import io.boxd.common.Deadline;
import io.boxd.control.Images;
import io.boxd.guest.image.Image;
import io.boxd.guest.image.ImageCatalog;
import io.boxd.guest.image.ImageRecipe;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The images of this host as the verbs see them. */
final class HostImages implements Images {
    private final ImageCatalog catalog;

    HostImages(ImageCatalog catalog) {
        this.catalog = catalog;
    }

    ImageCatalog catalog() {
        return catalog;
    }

    @Override
    public List<ImageFacts> list() {
        return catalog.recipes().stream().map(this::facts).toList();
    }

    private ImageFacts facts(ImageRecipe recipe) {
        Optional<Image> image = catalog.built(recipe);
        return new ImageFacts(
                recipe.name(),
                recipe.suite().codename(),
                recipe.kind().name().toLowerCase(Locale.ROOT),
                recipe.packages(),
                image.map(Image::diskBytes).orElse(0L),
                image.isPresent(),
                image.map(Image::key).orElse(""));
    }

    @Override
    public void require(String name) {
        catalog.recipe(name);
    }

    @Override
    public ImageFacts build(String name, Optional<String> recipe, Deadline deadline) {
        if (recipe.isPresent()) {
            catalog.add(RecipeFile.parse(name, recipe.get(), catalog), _ -> {}, deadline);
        } else {
            catalog.obtain(name, _ -> {}, deadline);
        }
        return facts(catalog.recipe(name));
    }

    @Override
    public void remove(String name) {
        catalog.forget(name);
    }
}
