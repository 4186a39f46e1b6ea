package io.boxd.guest.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class KernelModulesTest {
    private static final int HEADER_BYTES = 64;

    @TempDir
    private Path release;

    @TempDir
    private Path scratch;

    @BeforeEach
    void aKernel() throws IOException {
        Files.writeString(release.resolve("modules.builtin"), "kernel/fs/ext4/ext4.ko\n");
        Files.write(release.resolve("virtio.ko"), module(""));
        Files.write(release.resolve("virtio_ring.ko"), module("virtio"));
        Files.write(release.resolve("virtio-rng.ko"), module("virtio_ring,virtio"));
    }

    @Test
    void whatAModuleNeedsComesBeforeIt() throws IOException {
        assertThat(order("virtio_rng", "ext4", "virtio"))
                .containsExactly("virtio.ko", "virtio_ring.ko", "virtio_rng.ko");
    }

    @Test
    void packedModulesAreExpanded() throws IOException {
        Path file = release.resolve("virtio.ko");
        Command.of("gzip", file.toString()).check(Deadline.inSeconds(5));
        assertThat(order("virtio_ring")).containsExactly("virtio.ko", "virtio_ring.ko");
        assertThat(release.resolve("virtio.ko.gz")).exists();
    }

    @Test
    void aModuleThatDoesNotExistIsAnError() {
        assertThatThrownBy(() -> order("floppy"))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("no module floppy");
    }

    @Test
    void garbageIsNotAModule() {
        assertThatThrownBy(() -> KernelModules.dependencies(new byte[HEADER_BYTES]))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> KernelModules.dependencies(new byte[3])).isInstanceOf(IOException.class);
    }

    private List<String> order(String... wanted) throws IOException {
        return List.copyOf(KernelModules.in(release, scratch)
                .inLoadOrder(List.of(wanted), Deadline.inSeconds(5))
                .sequencedKeySet());
    }

    /** The least ELF file that has a .modinfo section: header, two section headers, names, content. */
    private static byte[] module(String depends) {
        byte[] info = ("license=GPL\0depends=" + depends + "\0").getBytes(StandardCharsets.US_ASCII);
        byte[] names = ".shstrtab\0.modinfo\0".getBytes(StandardCharsets.US_ASCII);
        int namesAt = HEADER_BYTES * 3;
        int infoAt = namesAt + names.length;
        ByteBuffer elf = ByteBuffer.allocate(infoAt + info.length).order(ByteOrder.LITTLE_ENDIAN);
        elf.putLong(40, HEADER_BYTES);
        elf.putShort(58, (short) HEADER_BYTES).putShort(60, (short) 2).putShort(62, (short) 0);
        section(elf, 0, 0, namesAt, names);
        section(elf, 1, ".shstrtab\0".length(), infoAt, info);
        return elf.array();
    }

    private static void section(ByteBuffer elf, int index, int name, int at, byte[] content) {
        int header = HEADER_BYTES * (index + 1);
        elf.putInt(header, name).putLong(header + 24, at).putLong(header + 32, content.length);
        elf.put(at, content);
    }
}
