package io.boxd.guest.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class BootstrapTest {
    private static final Bootstrap DEBIAN = new Bootstrap(Suite.DEBIAN_12, null, "minbase", List.of("git", "curl"));

    @Test
    void debianComesFromTheToolsOwnMirror() {
        assertThat(DEBIAN.commandLine(Path.of("/t")))
                .startsWith("mmdebstrap", "--mode=root")
                .contains("--variant=minbase", "--components=main", "--include=git,curl")
                .endsWith("bookworm", "/t");
    }

    @Test
    void ubuntuIsTheSameRecipeWithItsOwnNames() {
        ImageRecipe recipe = ImageRecipe.ubuntu().withMirror("http://mirror.example/ubuntu");
        Bootstrap ubuntu = new Bootstrap(recipe.suite(), recipe.mirror(), "extract", List.of("linux-image-virtual"));
        assertThat(ubuntu.commandLine(Path.of("/t")))
                .contains("--components=main,universe", "--include=linux-image-virtual")
                .endsWith("noble", "/t", "http://mirror.example/ubuntu");
    }

    @Test
    void anUnreachableMirrorIsNamedAsSuch() {
        BoxdException failure = DEBIAN.failure("""
                I: running apt-get update...
                Err:1 http://mirror.example bookworm InRelease
                  Could not connect to mirror.example:80, connection timed out
                E: Failed to fetch http://mirror.example/dists/bookworm/InRelease
                E: apt-get update failed
                """);
        assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(failure).hasMessageContaining("cannot reach the package mirror of bookworm");
        assertThat(failure.hint()).contains("network");
    }

    @Test
    void aFullDiskAndMissingKeysAreToldApart() {
        assertThat(DEBIAN.failure("dpkg: error: No space left on device").code())
                .isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        assertThat(DEBIAN.failure("W: GPG error: NO_PUBKEY 0E98404D386FA1D9").hint())
                .contains("debian-archive-keyring");
        assertThat(DEBIAN.failure("E: something new").code()).isEqualTo(ErrorCode.INTERNAL);
    }
}
