package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("jail")
class LayerStoreTest {
    private static final int UID = 1_999_999_999;

    @TempDir
    Path home;

    @Test
    void aFrozenLayerBelongsToRootAndGoesWithItsLastUser() throws IOException {
        LayerStore store = new LayerStore(home.resolve("layers"));
        TopLayer top = CellFolder.create(home.resolve("cell"), UID).newTop("one", 16 * MachineSize.MIB);
        Layer layer = store.freeze(top);
        assertThat(Files.getAttribute(layer.file(), "unix:uid")).isEqualTo(0);
        assertThat(Files.getPosixFilePermissions(layer.file())).hasSize(3);
        store.retain(List.of(layer));
        store.release(List.of(layer));
        assertThat(layer.file()).exists();
        store.release(List.of(layer));
        assertThat(layer.file()).doesNotExist();
    }

    /** A QEMU that was taken over could otherwise go on writing below the machines that share the layer. */
    @Test
    void nothingIsFrozenWhileSomebodyKeepsItOpenForWriting() throws IOException {
        LayerStore store = new LayerStore(home.resolve("layers"));
        TopLayer top = CellFolder.create(home.resolve("cell"), UID).newTop("one", 16 * MachineSize.MIB);
        try (FileChannel kept = FileChannel.open(top.file(), StandardOpenOption.WRITE)) {
            assertThat(kept.isOpen()).isTrue();
            assertThatThrownBy(() -> store.freeze(top))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("open for writing");
        }
        try (var layers = Files.list(home.resolve("layers"))) {
            assertThat(layers).isEmpty();
        }
    }
}
