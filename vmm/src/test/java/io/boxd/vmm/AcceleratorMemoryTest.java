package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.guest.image.Image;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class AcceleratorMemoryTest {
    private static final HostKey HOST = new HostKey("6.1.0-1", "model name : X", "abc", "boot-1");
    private static final ProbeResult WORKS = new ProbeResult(Accelerator.KVM, "it \"booted\"", false);

    @TempDir
    Path folder;

    @Test
    void remembersAcrossServers() {
        memory().remember(HOST, WORKS);
        assertThat(memory().recall(HOST)).contains(new ProbeResult(Accelerator.KVM, "it \"booted\"", true));
    }

    @Test
    void theLastOutcomeCounts() {
        memory().remember(HOST, WORKS);
        memory().remember(HOST, new ProbeResult(Accelerator.TCG, "no longer", false));
        assertThat(memory().recall(HOST)).contains(new ProbeResult(Accelerator.TCG, "no longer", true));
    }

    @Test
    void doesNotBelieveWhatIsAboutAnotherHost() {
        memory().remember(HOST, WORKS);
        for (HostKey other : List.of(
                new HostKey("6.1.0-2", HOST.cpu(), HOST.bundle(), HOST.boot()),
                new HostKey(HOST.kernel(), "model name : Y", HOST.bundle(), HOST.boot()),
                new HostKey(HOST.kernel(), HOST.cpu(), "abd", HOST.boot()),
                new HostKey(HOST.kernel(), HOST.cpu(), HOST.bundle(), "boot-2"))) {
            assertThat(memory().recall(other)).as("%s", other).isEmpty();
        }
    }

    @Test
    void doesNotBelieveWhatItCannotRead() throws IOException {
        memory().remember(HOST, WORKS);
        String good = Files.readString(file());
        for (String bad : List.of(
                "",
                "null",
                "{}",
                "{\"accelerator\":\"KVM\",\"reason\":\"x\"}",
                good.substring(0, good.length() / 2),
                good.replace("KVM", "MAGIC"),
                good.replace("\"KVM\"", "null"),
                good.replace("\"reason\"", "\"colour\""),
                "\u0000".repeat(4096))) {
            Files.writeString(file(), bad);
            assertThat(memory().recall(HOST)).as("%s", bad).isEmpty();
        }
    }

    @Test
    void knowsNothingAtFirst() {
        assertThat(memory().recall(HOST)).isEmpty();
    }

    @Test
    void leavesOnlyItsFile() throws IOException {
        memory().remember(HOST, WORKS);
        memory().remember(HOST, WORKS);
        try (Stream<Path> files = Files.list(folder.resolve("cache"))) {
            assertThat(files).containsExactly(file());
        }
    }

    /** What cannot be tried needs neither QEMU nor root to be found out, and is not remembered. */
    @Test
    void withoutADeviceThereIsNothingToTry() {
        EngineConfig config = new EngineConfig(folder, folder.resolve("cache"), folder, folder, folder);
        Path missing = folder.resolve("kvm");
        var image = new Image(
                "x", "x", folder, folder, folder, 1, List.of(), List.of(), "root", new Image.Hashes("", "", ""));
        AcceleratorProbe probe = new AcceleratorProbe(config, missing);
        ProbeResult expected = new ProbeResult(Accelerator.TCG, "no " + missing, false);
        assertThat(probe.probe(image, io.boxd.common.Deadline.inSeconds(1))).isEqualTo(expected);
        assertThat(probe.probe(image, io.boxd.common.Deadline.inSeconds(1))).isEqualTo(expected);
        assertThat(new AcceleratorProbe(config, folder)
                        .probe(image, io.boxd.common.Deadline.inSeconds(1))
                        .reason())
                .startsWith("cannot open " + folder);
    }

    private AcceleratorMemory memory() {
        return new AcceleratorMemory(folder.resolve("cache"));
    }

    private Path file() {
        return folder.resolve("cache").resolve("accelerator.json");
    }
}
