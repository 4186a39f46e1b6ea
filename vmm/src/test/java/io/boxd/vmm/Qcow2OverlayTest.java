package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.linux.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What we write is what QEMU reads, checked by QEMU's own tools. */
@Tag("unit")
class Qcow2OverlayTest {
    private static final long MIB = MachineSize.MIB;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(longs = {16, 17, 256, 257, 1024, 100 * 1024, 1024 * 1024 + 1, 2 * 1024 * 1024})
    void qemuFindsItRight(long mebibytes) throws IOException {
        long bytes = mebibytes * MIB;
        Path file = folder.resolve("disk.qcow2");
        Qcow2Overlay.create(file, bytes);
        assertThat(Files.size(file)).as("size of the file").isEqualTo(256 << 10);
        run("qemu-img", "check", "-q", "-f", "qcow2", file.toString());

        JsonNode info = Json.parse(run("qemu-img", "info", "--output=json", "-f", "qcow2", file.toString()));
        assertThat(info.path("virtual-size").asLong()).isEqualTo(bytes);
        assertThat(info.path("cluster-size").asLong()).isEqualTo(64 << 10);
        assertThat(info.has("backing-filename")).isFalse();
        JsonNode format = info.path("format-specific").path("data");
        assertThat(format.path("extended-l2").asBoolean()).isTrue();
        assertThat(format.path("compat").asString()).isEqualTo("1.1");
        assertThat(format.path("corrupt").asBoolean()).isFalse();
        assertThat(format.path("refcount-bits").asInt()).isEqualTo(16);

        long last = bytes - 4096;
        run(
                "qemu-io",
                "-f",
                "qcow2",
                "-c",
                "read -P 0 0 4k",
                "-c",
                "write -P 7 0 4k",
                "-c",
                "write -P 9 " + last + " 4k",
                file.toString());
        String read = run(
                "qemu-io",
                "-f",
                "qcow2",
                "-c",
                "read -P 7 0 4k",
                "-c",
                "read -P 9 " + last + " 4k",
                "-c",
                "read -P 0 8k 4k",
                file.toString());
        assertThat(read).doesNotContain("Pattern verification failed").contains("read 4096/4096 bytes");
        run("qemu-img", "check", "-q", "-f", "qcow2", file.toString());
    }

    /** The reason for the extended entries: a small write copies nothing from the layer below. */
    @Test
    void aSmallWriteTakesNoWholeCluster() throws IOException {
        Path below = folder.resolve("below.raw");
        Files.write(below, new byte[(int) (16 * MIB)]);
        Path file = folder.resolve("disk.qcow2");
        Qcow2Overlay.create(file, 16 * MIB);
        String chain = "json:{\"driver\":\"qcow2\",\"file\":{\"driver\":\"file\",\"filename\":\"" + file
                + "\"},\"backing\":{\"driver\":\"raw\",\"file\":{\"driver\":\"file\",\"filename\":\"" + below + "\"}}}";
        run("qemu-io", "-c", "write -P 5 1M 2k", chain);
        JsonNode map = Json.parse(run("qemu-img", "map", "--output=json", "-f", "qcow2", file.toString()));
        long own = 0;
        for (JsonNode extent : map) {
            own += extent.path("data").asBoolean() ? extent.path("length").asLong() : 0;
        }
        assertThat(own).isEqualTo(2048);
        assertThat(run("qemu-io", "-c", "read -P 5 1M 2k", "-c", "read -P 0 1026k 2k", chain))
                .doesNotContain("Pattern verification failed");
    }

    @Test
    void neverTouchesAFileThatIsThere() throws IOException {
        Path file = folder.resolve("disk.qcow2");
        Files.writeString(file, "precious");
        assertThatThrownBy(() -> Qcow2Overlay.create(file, 16 * MIB)).isInstanceOf(BoxdException.class);
        assertThat(file).hasContent("precious");
    }

    private static String run(String... argv) {
        return Command.of(argv).check(Deadline.inSeconds(30)).output();
    }
}
