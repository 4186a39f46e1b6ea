package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.vmm.Identity;
import io.boxd.vmm.MachineRow;
import io.boxd.vmm.RecordChange;
import io.boxd.vmm.SnapshotRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class SqliteRecordTest {
    @TempDir
    private Path folder;

    private static MachineRow machine(String id, Identity identity) {
        return new MachineRow(id, identity, "base", 1, 2, 3, "wire", List.of("a", "b"));
    }

    @Test
    void whatWasAppliedIsThereAfterReopening() {
        Identity identity = Identity.fresh("box", 1);
        MachineRow row = machine("m1", identity);
        SnapshotRow snapshot = new SnapshotRow("s1", identity, "base", List.of("a"));
        try (SqliteRecord record = SqliteRecord.open(folder.resolve("record.db"))) {
            record.apply(List.of(new RecordChange.MachineStarted(row)));
            record.apply(List.of(new RecordChange.SnapshotKept(snapshot), new RecordChange.MachineEnded("m1")));
            MachineRow woken = machine("m2", identity.next());
            record.apply(List.of(new RecordChange.MachineStarted(woken)));
            record.apply(List.of(new RecordChange.MachineChanged(
                    new MachineRow("m2", identity.next(), "base", 1, 2, 3, "wire", List.of()))));
        }
        try (SqliteRecord record = SqliteRecord.open(folder.resolve("record.db"))) {
            assertThat(record.rows().snapshots()).containsExactly(snapshot);
            assertThat(record.rows().machines())
                    .containsExactly(new MachineRow("m2", identity.next(), "base", 1, 2, 3, "wire", List.of()));
            record.apply(List.of(new RecordChange.SnapshotForgotten("s1")));
            assertThat(record.rows().snapshots()).isEmpty();
        }
    }

    @Test
    void aMachineIsNeverListedTwiceAndAFailedChangeLeavesNothing() {
        Identity identity = Identity.fresh("box", 1);
        try (SqliteRecord record = SqliteRecord.open(folder.resolve("record.db"))) {
            record.apply(List.of(new RecordChange.MachineStarted(machine("m1", identity))));
            List<RecordChange> twin = List.of(
                    new RecordChange.SnapshotKept(new SnapshotRow("s1", identity, "base", List.of())),
                    new RecordChange.MachineStarted(machine("m2", identity.next())));
            assertThatThrownBy(() -> record.apply(twin))
                    .isInstanceOfSatisfying(
                            BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WRONG_STATE));
            assertThat(record.rows().snapshots()).isEmpty();
            assertThat(record.rows().machines()).hasSize(1);
            record.apply(List.of(
                    new RecordChange.MachineEnded("m1"),
                    new RecordChange.MachineStarted(machine("m2", identity.next()))));
            assertThat(record.rows().machines()).hasSize(1);
        }
    }

    @Test
    void aDamagedFileIsRefusedByName() throws IOException {
        Path file = folder.resolve("record.db");
        Files.writeString(file, "this is no database, and has never been one; it only looks like a file");
        assertThatThrownBy(() -> SqliteRecord.open(file))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining(file.toString());
    }
}
