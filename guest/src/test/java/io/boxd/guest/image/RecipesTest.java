package io.boxd.guest.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class RecipesTest {
    @TempDir
    private Path temporary;

    @Test
    void theRecipesAreOnTheClassPath() throws IOException {
        Recipes recipes = Recipes.load();
        assertThat(recipes.list("base/packages.txt")).contains("systemd", "git", "python3-venv");
        assertThat(recipes.list("modules.txt")).contains("virtio_mmio", "virtio_blk");
        assertThat(recipes.under("base"))
                .containsKeys("customize.sh", "files/etc/fstab", "files/etc/systemd/system/boxd-agent.service");
        assertThat(recipes.under("tiny/files")).containsKeys("etc/passwd", "etc/boxd/settle");
    }

    @Test
    void aJarCarriesThemAsWell() throws IOException {
        Path jar = temporary.resolve("recipes.jar");
        try (var out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new ZipEntry("boxd/images/some/packages.txt"));
            out.write("# why\ngit # and how\n\n curl\n".getBytes(StandardCharsets.UTF_8));
        }
        Recipes recipes =
                Recipes.load(URI.create("jar:" + jar.toUri() + "!/boxd/images").toURL());
        assertThat(recipes.list("some/packages.txt")).containsExactly("git", "curl");
        recipes.unpack("some", temporary.resolve("out"));
        assertThat(temporary.resolve("out/packages.txt")).exists();
    }

    @Test
    void bothImagesShareTheBoxsAddress() throws IOException {
        Recipes recipes = Recipes.load();
        assertThat(text(recipes, "base/files/etc", "boxd/network")).contains("10.0.2.15/24", "10.0.2.2");
        assertThat(text(recipes, "tiny/files/etc", "boxd/settle")).contains("10.0.2.15/24", "10.0.2.2");
    }

    private static String text(Recipes recipes, String folder, String file) {
        return new String(recipes.under(folder).getOrDefault(file, new byte[0]), StandardCharsets.UTF_8);
    }
}
