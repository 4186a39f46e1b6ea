package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.image.Image;
import io.boxd.guest.image.ImageRecipe;
import io.boxd.guest.image.ImageStore;
import io.boxd.vmm.Base;
import io.boxd.vmm.Engine;
import io.boxd.vmm.MachineSize;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The images that boxes can be made from, by name; each is built when it is first needed. */
final class Images {
    private static final List<ImageRecipe> RECIPES =
            List.of(ImageRecipe.base(), ImageRecipe.ubuntu(), ImageRecipe.tiny());

    private final ImageStore store;
    private final Path agent;
    private final Engine engine;
    private final Map<String, Image> known = new ConcurrentHashMap<>();

    Images(ImageStore store, Path agent, Engine engine) {
        this.store = store;
        this.agent = agent;
        this.engine = engine;
    }

    /** Refuses a name that no image has. */
    static ImageRecipe recipe(String name) {
        return RECIPES.stream()
                .filter(recipe -> recipe.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.NOT_FOUND,
                        "there is no such image",
                        "There are: " + RECIPES.stream().map(ImageRecipe::name).collect(Collectors.joining(", ")) + ".",
                        null));
    }

    Base base(String name, MachineSize size, Deadline deadline) {
        ImageRecipe recipe = recipe(name);
        Image image = known.get(name);
        if (image == null) {
            image = store.obtain(recipe, agent, line -> {}, deadline);
            known.put(name, image);
        }
        return engine.base(image, size, line -> {}, deadline);
    }
}
