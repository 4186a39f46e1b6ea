package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.image.Image;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machines that do not come up: the error says why, in time, and nothing of them is left. */
@Tag("machine")
class BootFailureTest {
    private static final MachineSize SIZE = new MachineSize(1, 256 * MachineSize.MIB, 256 * MachineSize.MIB);

    @TempDir
    Path folder;

    @Test
    void aKernelThatGivesUpIsQuoted() throws IOException {
        Path empty = Files.createFile(folder.resolve("initrd"));
        assertFails(image(empty, "panic=-1"), 60, ErrorCode.UNAVAILABLE, "QEMU ended: ", "Kernel panic - not syncing");
    }

    @Test
    void aGuestThatNeverAnswersMeetsTheDeadline() throws IOException {
        assertFails(
                image(TestHouse.get().tiny().initrd(), "rdinit=/bin/cat"),
                6,
                ErrorCode.TIMEOUT,
                "QEMU did not come up");
    }

    @Test
    void aBaseIsNotGivenUpAfterOneCrash() throws IOException {
        Path empty = Files.createFile(folder.resolve("initrd"));
        List<String> steps = new ArrayList<>();
        Engine engine = TestHouse.get().engine();
        assertThatThrownBy(() -> engine.base(image(empty, "panic=-1"), SIZE, steps::add, Deadline.inSeconds(120)))
                .hasMessageContaining("Kernel panic - not syncing");
        assertThat(steps).filteredOn(step -> step.endsWith("booting it again")).hasSize(2);
    }

    private static void assertFails(Image image, int seconds, ErrorCode code, String... words) throws IOException {
        Engine engine = TestHouse.get().engine();
        List<Path> before = cells(engine);
        long start = System.nanoTime();
        assertThatThrownBy(() -> engine.boot(image, SIZE, Identity.fresh("x", 1), Deadline.inSeconds(seconds)))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContainingAll(words);
        assertThat(System.nanoTime() - start).isLessThan((seconds + 5) * 1_000_000_000L);
        assertThat(cells(engine)).isEqualTo(before);
    }

    private static List<Path> cells(Engine engine) throws IOException {
        try (var cells = Files.list(engine.config().cells())) {
            return cells.sorted().toList();
        }
    }

    private static Image image(Path initrd, String argument) {
        Image tiny = TestHouse.get().tiny();
        List<String> arguments = new ArrayList<>(tiny.kernelArguments());
        arguments.add(argument);
        return new Image(
                tiny.name(),
                UUID.randomUUID().toString().replace("-", ""),
                tiny.kernel(),
                initrd,
                tiny.disk(),
                tiny.diskBytes(),
                arguments,
                tiny.settleCommand(),
                tiny.defaultUser(),
                tiny.hashes());
    }
}
