package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Looks at running cells from outside: every property of the jail is as declared, on every process. */
@Tag("jail")
class JailPropertiesTest {
    private static final int HUSKS = TestHouse.LONG ? 20 : 3;
    private static final int FEWEST_PROPERTIES = 25;
    private static final int FEWEST_VIOLATIONS = 10;

    @Test
    void everyPropertyOfEveryCellIsAsDeclared() throws IOException {
        Base base = TestHouse.get().tinyBase();
        try (TestingCells cells = TestingCells.open();
                Machine machine = TestHouse.get().start(base)) {
            TestHouse.sh(machine, "echo something > /data/written; sync");
            try (Machine fork = TestHouse.get().fork(machine)) {
                // Otherwise there would be no frozen layer to look at, in the source and in its child.
                assertThat(fork.disk().layers())
                        .hasSizeGreaterThan(base.layers().size());
                List<Cell> all = new ArrayList<>(List.of(machine.cell(), fork.cell()));
                for (int i = 0; i < HUSKS; i++) {
                    all.add(cells.husk(base).cell());
                }
                List<String> violations = new ArrayList<>();
                for (Cell cell : all) {
                    JailInspection inspection =
                            JailInspection.of(cell, cell.process().pid());
                    assertThat(inspection.checked()).hasSizeGreaterThanOrEqualTo(FEWEST_PROPERTIES);
                    inspection.violations().forEach(text -> violations.add("cell " + cell.id() + ": " + text));
                }
                assertThat(violations).isEmpty();
                assertApart(all);
            }
        }
    }

    private static void assertApart(List<Cell> cells) throws IOException {
        Set<Integer> uids = new HashSet<>();
        Set<String> namespaces = new HashSet<>();
        for (Cell cell : cells) {
            uids.add(cell.folder().uid());
            for (String kind : JailInspection.NAMESPACES) {
                namespaces.add(new ProcessFacts(cell.process().pid()).namespace(kind));
            }
        }
        assertThat(uids).hasSameSizeAs(cells);
        assertThat(namespaces).hasSize(cells.size() * JailInspection.NAMESPACES.size());
    }

    @Test
    void aQemuStartedWithoutTheLauncherIsNoticed() throws IOException {
        try (TestingCells cells = TestingCells.open()) {
            Cell cell = cells.husk(TestHouse.get().tinyBase()).cell();
            Process bare = new ProcessBuilder(
                            QemuBundle.PROGRAM, "-nodefaults", "-display", "none", "-machine", "none", "-S")
                    .start();
            try {
                assertThat(JailInspection.of(cell, (int) bare.pid()).violations())
                        .hasSizeGreaterThanOrEqualTo(FEWEST_VIOLATIONS);
            } finally {
                bare.destroyForcibly();
            }
        }
    }
}
