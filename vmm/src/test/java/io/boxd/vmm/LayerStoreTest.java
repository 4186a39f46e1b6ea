package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Needs root: a frozen layer changes its owner. */
@Tag("host")
class LayerStoreTest {
    private static final int CELL_UID = 1_800_000_007;

    @TempDir
    Path folder;

    private LayerStore store = TestHouse.layerStore(Path.of("target"));

    @BeforeEach
    void open() {
        store = TestHouse.layerStore(folder);
    }

    @Test
    void aFrozenLayerIsRootsAndNobodyWritesIt() throws IOException {
        TopLayer top = newTop("a");
        Layer layer = store.freeze(top);
        assertThat(layer.format()).isEqualTo(Layer.Format.QCOW2);
        for (Path file : List.of(layer.file(), top.file())) {
            assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(0);
            assertThat(Files.getAttribute(file, "unix:gid")).isEqualTo(0);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("r--r--r--");
        }
        assertThat(Files.isSameFile(layer.file(), top.file())).isTrue();
    }

    @Test
    void itOutlivesTheCellThatItComesFrom() throws IOException {
        TopLayer top = newTop("a");
        Layer layer = store.freeze(top);
        Files.delete(top.file());
        assertThat(layer.file()).isRegularFile();
    }

    @Test
    void theLastUserDeletesIt() {
        Layer a = store.freeze(newTop("a"));
        Layer b = store.freeze(newTop("b"));
        store.retain(List.of(a, b));
        store.retain(List.of(a));
        store.release(List.of(a, b));
        store.release(List.of(a, b));
        assertThat(a.file()).exists();
        assertThat(b.file()).doesNotExist();
        store.release(List.of(a));
        assertThat(a.file()).doesNotExist();
    }

    @Test
    void leavesLayersOfOthersAlone() throws IOException {
        Path file = Files.writeString(folder.resolve("image.raw"), "image");
        Layer image = new Layer("image", file, Layer.Format.RAW);
        store.retain(List.of(image));
        store.release(List.of(image));
        store.release(List.of(image));
        assertThat(file).hasContent("image");
    }

    /** One release too many must not take it from the next user. */
    @Test
    void releasingTooOftenIsForgotten() {
        Layer gone = store.freeze(newTop("a"));
        store.release(List.of(gone));
        store.release(List.of(gone));
        Layer again = store.freeze(newTop("a2"));
        store.retain(List.of(again));
        store.release(List.of(again));
        assertThat(again.file()).exists();
        store.release(List.of(again));
        assertThat(again.file()).doesNotExist();
    }

    @Test
    void refusesALinkInPlaceOfATop() throws IOException {
        Path target = Files.writeString(folder.resolve("secret"), "secret");
        Path link = Files.createSymbolicLink(folder.resolve("top-x.qcow2"), target);
        assertThatThrownBy(() -> store.freeze(new TopLayer("x", link)))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("is a link");
        assertThat(folder.resolve("layers")).isEmptyDirectory();
    }

    /** A QEMU that was taken over could otherwise go on writing below the machines that share the layer. */
    @Test
    void nothingIsFrozenWhileSomebodyKeepsItOpenForWriting() throws IOException {
        TopLayer top = newTop("a");
        try (FileChannel kept = FileChannel.open(top.file(), StandardOpenOption.WRITE)) {
            assertThat(kept.isOpen()).isTrue();
            assertThatThrownBy(() -> store.freeze(top))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("open for writing");
        }
        assertThat(folder.resolve("layers")).isEmptyDirectory();
    }

    private TopLayer newTop(String id) {
        Path file = folder.resolve("top-" + id + ".qcow2");
        Qcow2Overlay.create(file, 16 * MachineSize.MIB);
        io.boxd.linux.FileOwner.give(file, CELL_UID, "rw-------");
        return new TopLayer(id, file);
    }
}
