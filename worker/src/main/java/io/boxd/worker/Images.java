package io.boxd.worker;

import io.boxd.common.Deadline;
import io.boxd.guest.image.Image;
import io.boxd.guest.image.ImageCatalog;
import io.boxd.guest.image.ImageRecipe;
import io.boxd.vmm.Base;
import io.boxd.vmm.Engine;
import io.boxd.vmm.MachineSize;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The images that boxes can be made from, by name; each is built when it is first needed. */
final class Images {
    private final ImageCatalog catalog;
    private final Engine engine;
    /** To look an image up means to hash things, which a new box need not wait for. */
    private final Map<ImageRecipe, Image> known = new ConcurrentHashMap<>();

    Images(ImageCatalog catalog, Engine engine) {
        this.catalog = catalog;
        this.engine = engine;
    }

    /** Refuses a name that no image has. */
    void require(String name) {
        catalog.recipe(name);
    }

    Base base(String name, MachineSize size, Deadline deadline) {
        ImageRecipe recipe = catalog.recipe(name);
        Image image = known.get(recipe);
        if (image == null) {
            image = catalog.obtain(name, line -> {}, deadline);
            known.put(recipe, image);
        }
        return engine.base(image, size, line -> {}, deadline);
    }
}
