package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Assumes that a guest has taken over its QEMU: a hostile program runs in QEMU's place, in the jail that
 * the product's own code makes, and gets nothing. With any one layer of the jail left out it gets something.
 */
@Tag("jail")
class JailTest {
    private static final int CELLS = TestHouse.LONG ? 5 : 1;
    private static final int FEWEST_ATTEMPTS = 60;

    private static TestingCells neighbours;
    private static Husk neighbour;
    private static HostTargets host;

    @TempDir
    Path folder;

    @BeforeAll
    static void makeTargets() throws IOException {
        host = new HostTargets();
        neighbours = TestingCells.open();
        neighbour = neighbours.husk(TestHouse.get().tinyBase());
    }

    @AfterAll
    static void removeTargets() throws IOException {
        try (HostTargets targets = host;
                TestingCells cells = neighbours) {
            assertThat(targets).isNotNull();
            assertThat(cells).isNotNull();
        }
    }

    @Test
    void aHostileProgramInTheJailGetsNothing() throws IOException {
        try (TestingCells cells = TestingCells.open()) {
            Base base = cells.withProgram(TestHouse.get().tinyBase(), TestHouse.release("boxd-hostile"));
            for (int i = 0; i < CELLS; i++) {
                HostileReport report = attack(cells, base);
                assertThat(report.succeeded()).isEmpty();
                assertThat(report.denied()).hasSize(report.attempts()).hasSizeGreaterThanOrEqualTo(FEWEST_ATTEMPTS);
            }
        }
        assertThat(neighbour.usable()).isTrue();
        assertThat(neighbour.cell().qmp().execute("query-status", Deadline.inSeconds(10)))
                .isNotNull();
    }

    @ParameterizedTest
    @CsvSource({
        "uid, layer-open-write",
        "seccomp, fork",
        "mounts, secret:",
        "landlock, create:/disk/mistake",
        "network, interfaces"
    })
    void withoutOneLayerItGetsSomething(String layer, String gain) throws IOException {
        try (TestingCells cells = TestingCells.openWithout(layer, folder)) {
            Base base = cells.withProgram(TestHouse.get().tinyBase(), TestHouse.release("boxd-hostile"));
            HostileReport report = attack(cells, base);
            assertThat(report.succeeded()).anyMatch(line -> line.startsWith(gain));
        }
    }

    /** Its first thread ends by itself and leaves a zombie, behind which another thread runs on. */
    @Test
    void aProcessThatLooksDeadIsEndedAllTheSame() throws IOException {
        try (TestingCells cells = TestingCells.open()) {
            Base base = cells.withProgram(TestHouse.get().tinyBase(), TestHouse.release("boxd-hostile"));
            Cell cell = cells.start(base, (own, plan) -> TestingCells.withArguments(plan, List.of("hide")));
            ProcessFacts facts = new ProcessFacts(cell.process().pid());
            Deadline deadline = Deadline.inSeconds(10);
            while (!facts.stat(3).equals("Z") && !deadline.passed()) {
                Thread.onSpinWait();
            }
            assertThat(facts.stat(3)).isEqualTo("Z");
            assertThat(facts.tasks()).hasSize(2);
            assertThat(cell.process().alive()).isTrue();
            cell.close();
            assertThat(cell.process().alive()).isFalse();
        }
    }

    private static HostileReport attack(TestingCells cells, Base base) throws IOException {
        LayerStore layers = TestHouse.layerStore(cells.config().home());
        Cell cell = cells.start(base, (own, plan) -> {
            List<String> targets = new ArrayList<>(host.arguments());
            targets.addAll(neighbourTargets());
            // The first top, which is the cell's; a layer that was a top before; and a mistake of ours.
            targets.add("own-file=" + only(own.disk()));
            Layer frozen = layers.freeze(own.newTop(Ids.random(), base.size().diskBytes()));
            own.grant(frozen);
            targets.add("layer=" + frozen.id());
            targets.add("own-folder=mistake");
            FileOwner.give(FileOwner.newFolder(own.disk().resolve("mistake"), "rwx------"), own.uid(), "rwx------");
            return TestingCells.withArguments(plan, targets);
        });
        return HostileReport.await(cell, Deadline.inSeconds(30));
    }

    private static Path only(Path folder) {
        try (var entries = java.nio.file.Files.list(folder)) {
            return entries.findFirst().orElseThrow().getFileName();
        } catch (IOException e) {
            throw new IllegalStateException("cannot list " + folder, e);
        }
    }

    private static List<String> neighbourTargets() {
        CellFolder folder = neighbour.cell().folder();
        Base base = neighbour.base();
        return List.of(
                "pid=" + neighbour.cell().process().pid(),
                "socket=" + folder.qmpSocket(),
                "socket=" + folder.agentSocket(),
                "socket=" + folder.consoleSocket(),
                "secret=" + neighbour.top().file(),
                "secret=" + folder.log(),
                "secret=" + folder.path().resolve("saved"),
                "secret=" + folder.consoleLog(),
                "secret=" + base.memory(),
                "secret=" + base.deviceState().orElseThrow(),
                "secret=" + base.layers().getFirst().file());
    }
}
