package io.boxd.guest.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.linux.Command;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Builds real images; {@code boxd.image.cache} keeps them for the next run, {@code boxd.agent} makes them bootable.
 */
@Tag("image")
@ResourceLock("image cache")
class ImageStoreTest {
    private final List<String> progress = new ArrayList<>();

    @TempDir
    private Path temporary;

    private Path agent;
    private ImageStore store;

    @BeforeEach
    void open() throws IOException {
        agent = temporary.resolve("agent");
        String given = System.getProperty("boxd.agent");
        Files.write(agent, given == null ? new byte[] {1} : Files.readAllBytes(Path.of(given)));
        String kept = System.getProperty("boxd.image.cache");
        store = new ImageStore(kept == null ? temporary.resolve("cache") : Path.of(kept));
    }

    @Test
    void tinyIsWholeAndANewAgentOnlyRepacksIt() throws IOException {
        Image image = obtain(ImageRecipe.tiny());
        assertThat(Files.size(image.kernel())).isGreaterThan(1 << 20);
        assertThat(Files.size(image.disk())).isEqualTo(image.diskBytes());
        assertThat(image.kernelArguments()).contains("console=ttyS0").doesNotContain("boxd.root=/dev/vda");
        assertThat(contentsOf(image.initrd()))
                .contains("init", "bin/busybox", "bin/sh", "etc/passwd", "etc/boxd/on-fork.d", "tmp")
                .contains("boxd-modules/order", "boxd-modules/virtio_blk.ko", "boxd-modules/virtio_mmio.ko");
        checkFileSystem(image.disk());

        // The cache outlives this run: an agent that it has never seen must be new each time.
        Files.writeString(agent, UUID.randomUUID().toString(), StandardOpenOption.APPEND);
        progress.clear();
        Image changed = obtain(ImageRecipe.tiny());
        assertThat(progress).containsExactly("packing the initramfs");
        assertThat(changed.key()).isNotEqualTo(image.key());
        assertThat(changed.kernel()).isEqualTo(image.kernel());
        assertThat(changed.disk()).isEqualTo(image.disk());

        Path initrd = Objects.requireNonNull(changed.initrd().getParent());
        FileOwner.deleteTree(initrd);
        FileOwner.deleteTree(initrd.resolveSibling("image-tiny-" + changed.key()));
    }

    @Test
    void baseIsASystemWithItsUserToolsAndModules() throws IOException {
        Image image = obtain(ImageRecipe.base());
        checkFileSystem(image.disk());
        assertThat(image.defaultUser()).isEqualTo("boxd");
        assertThat(inDisk(image, "cat /etc/passwd")).contains("boxd:x:1000:");
        assertThat(inDisk(image, "cat /etc/group"))
                .containsPattern("docker:x:\\d+:boxd")
                .containsPattern("sudo:.*boxd");
        assertThat(inDisk(image, "cat /etc/resolv.conf")).isEqualTo("nameserver 10.0.2.3\n");
        assertThat(inDisk(image, "stat /usr/lib/boxd/settle")).contains("Mode:  0755");
        assertThat(inDisk(image, "stat /etc/systemd/system/apt-daily.timer")).contains("/dev/null");
        assertThat(inDisk(image, "ls /boot")).doesNotContain("initrd");
        String packages = Files.readString(
                Objects.requireNonNull(image.disk().getParent()).resolve("packages.txt"));
        assertThat(packages).contains("git ", "systemd ", "python3-venv ").doesNotContain("initramfs-tools", "rsyslog");
        String manifest = Files.readString(
                Objects.requireNonNull(image.disk().getParent()).resolve("manifest.json"));
        String release = Json.parse(manifest).path("kernel_release").asString();
        String modules = "cat /usr/lib/modules/" + release;
        assertThat(inDisk(image, modules + "/modules.dep") + inDisk(image, modules + "/modules.builtin"))
                .contains("/overlay.ko", "/tun.ko", "/bridge.ko", "/nf_tables.ko", "/fuse.ko", "/veth.ko");
    }

    @Test
    void anUnreachableMirrorIsToldWithinTheDeadline() {
        ImageRecipe recipe = ImageRecipe.tiny().withMirror("http://127.0.0.1:9/debian");
        assertThatThrownBy(() -> obtain(recipe)).isInstanceOfSatisfying(BoxdException.class, failure -> {
            assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            assertThat(failure).hasMessageContaining("cannot reach the package mirror of bookworm");
        });
    }

    private Image obtain(ImageRecipe recipe) {
        return store.obtain(recipe, agent, progress::add, Deadline.inSeconds(600));
    }

    private static void checkFileSystem(Path disk) {
        Command.of("e2fsck", "-f", "-n", disk.toString()).check(Deadline.inSeconds(60));
    }

    private static String inDisk(Image image, String request) {
        return Command.of("debugfs", "-R", request, image.disk().toString())
                .check(Deadline.inSeconds(30))
                .output();
    }

    private static List<String> contentsOf(Path initrd) {
        return Command.of("busybox", "cpio", "-t", "-F", initrd.toString())
                .check(Deadline.inSeconds(30))
                .output()
                .lines()
                .toList();
    }
}
