package io.boxd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.guest.image.ImageCatalog;
import io.boxd.guest.image.ImageRecipe;
import io.boxd.guest.image.Suite;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class RecipeFileTest {
    @TempDir
    private Path folder;

    private ImageRecipe parse(String text) {
        ImageCatalog catalog = new ImageCatalog(folder.resolve("cache"), Path.of("/agent"), folder.resolve("recipes"));
        return RecipeFile.parse("tools", text, catalog);
    }

    @Test
    void addsPackagesToAnotherImage() {
        ImageRecipe recipe = parse("from = 'ubuntu'\npackages = ['nodejs', 'g++', 'nodejs']\nroom = '3G'");
        assertThat(recipe.name()).isEqualTo("tools");
        assertThat(recipe.suite()).isEqualTo(Suite.UBUNTU_24_04);
        assertThat(recipe.packages()).containsExactly("g++", "nodejs");
        assertThat(recipe.spareBytes()).isEqualTo(3L << 30);
    }

    @Test
    void isTheUsualImageIfNothingIsSaid() {
        ImageRecipe recipe = parse("");
        assertThat(recipe).isEqualTo(ImageRecipe.base().extended("tools", recipe.packages()));
        assertThat(recipe.packages()).isEmpty();
    }

    @Test
    void tellsAllThatIsWrongAtOnce() {
        assertThatThrownBy(() -> parse("run = 'rm -rf /'\npackages = ['good', '--purge']\nroom = 'much'"))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("line 1: a recipe has no 'run'")
                .hasMessageContaining("line 2: '--purge' is not the name of a package")
                .hasMessageContaining("line 3: room is");
        assertThatThrownBy(() -> parse("packages = [")).hasMessageContaining("line 1");
        assertThatThrownBy(() -> parse("packages = 'git'")).hasMessageContaining("a list");
        assertThatThrownBy(() -> parse("from = 'nowhere'")).hasMessageContaining("there is no image 'nowhere'");
        assertThatThrownBy(() -> parse("from = 'tiny'\npackages = ['git']")).hasMessageContaining("has no packages");
    }
}
