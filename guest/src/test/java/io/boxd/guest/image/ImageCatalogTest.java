package io.boxd.guest.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Builds the smallest image that somebody could describe. */
@Tag("image")
@ResourceLock("image cache")
class ImageCatalogTest {
    private static final long ROOM = 80L << 20;

    @TempDir
    private Path temporary;

    private ImageCatalog catalog;

    @BeforeEach
    void open() throws IOException {
        Files.write(temporary.resolve("agent"), new byte[] {1});
        catalog = again();
    }

    private ImageCatalog again() {
        String kept = System.getProperty("boxd.image.cache");
        Path cache = kept == null ? temporary.resolve("cache") : Path.of(kept);
        return new ImageCatalog(cache, temporary.resolve("agent"), temporary.resolve("recipes"));
    }

    private static ImageRecipe mine(String name) {
        return ImageRecipe.tiny().extended(name, List.of()).withSpareBytes(ROOM);
    }

    private static List<String> names(ImageCatalog catalog) {
        return catalog.recipes().stream().map(ImageRecipe::name).toList();
    }

    @Test
    void whatWasDescribedIsKnownToTheNextServerUntilItIsForgotten() {
        assertThat(names(catalog)).containsExactly("base", "ubuntu", "tiny");
        Image built = catalog.add(mine("mine"), _ -> {}, Deadline.inSeconds(300));
        assertThat(names(again())).containsExactly("base", "ubuntu", "tiny", "mine");
        assertThat(again().recipe("mine")).isEqualTo(mine("mine"));
        assertThat(again().built(mine("mine"))).contains(built);
        assertThat(again().obtain("mine", _ -> {}, Deadline.inSeconds(60))).isEqualTo(built);
        again().forget("mine");
        assertThat(names(again())).doesNotContain("mine");
        assertThat(Files.exists(built.disk())).isTrue();
        refused(() -> catalog.forget("mine"), ErrorCode.NOT_FOUND, "there is no image 'mine'");
    }

    @Test
    void doesNotTakeNamesThatAreOursOrLeadElsewhere() {
        refused(() -> catalog.add(mine("base"), _ -> {}, Deadline.inSeconds(60)), ErrorCode.ALREADY_EXISTS, "boxd");
        refused(() -> catalog.forget("tiny"), ErrorCode.ALREADY_EXISTS, "boxd itself");
        refused(() -> catalog.add(mine("../x"), _ -> {}, Deadline.inSeconds(60)), ErrorCode.INVALID_ARGUMENT, "name");
        assertThat(temporary.resolve("recipes")).doesNotExist();
    }

    @Test
    void saysWhatIsNotBuiltWithoutBuildingIt() {
        ImageRecipe never = ImageRecipe.tiny().withSpareBytes(65L << 20);
        assertThat(catalog.built(never)).isEmpty();
    }

    private static void refused(Runnable act, ErrorCode code, String message) {
        assertThatThrownBy(act::run)
                .hasMessageContaining(message)
                .isInstanceOfSatisfying(
                        BoxdException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(code));
    }
}
