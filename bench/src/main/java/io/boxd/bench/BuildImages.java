package io.boxd.bench;

import io.boxd.common.Deadline;
import io.boxd.guest.image.ImageRecipe;
import io.boxd.guest.image.ImageStore;
import java.nio.file.Path;
import java.util.List;

/** Builds the images that tests and benchmarks use, so that nobody has to wait for them later. */
public final class BuildImages {
    private BuildImages() {}

    /** No arguments; in the repository's folder. */
    public static void main(String[] arguments) {
        ImageStore store = new ImageStore(Setup.imageCache());
        Path agent = Path.of("target/release/boxd-agent");
        for (ImageRecipe recipe : List.of(ImageRecipe.tiny(), ImageRecipe.base())) {
            store.obtain(recipe, agent, System.out::println, Deadline.inSeconds(1200));
        }
    }
}
