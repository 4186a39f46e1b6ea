package io.boxd.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.FileOwner;
import io.boxd.linux.SmallDisk;
import io.boxd.vmm.Engine;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.Snapshot;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An instance that shares a disk with its record, on which not one more file can be made. */
@Tag("machine")
class FullRecordTest {
    private static final long DISK_BYTES = 700L << 20;
    private static final int INODES = 1024;

    @Test
    void withoutInodesNothingNewIsMadeAndWhatIsDeletedIsWrittenDown() throws Exception {
        try (SmallDisk disk = new SmallDisk(DISK_BYTES, INODES)) {
            Path file = disk.path().resolve("record.db");
            try (SqliteRecord record = SqliteRecord.open(file);
                    Engine engine = WorkerHouse.open(disk.path(), WorkerHouse.cache(), record);
                    Machine machine = start(engine)) {
                Machine other = start(engine);
                Snapshot kept = engine.snapshot(machine, soon()).snapshot();
                Path fillers = disk.fillInodes(0);
                assertRefused(() -> engine.snapshot(machine, soon()));
                assertRefused(() -> engine.hibernate(machine, soon()));
                assertRefused(() -> engine.fork(machine, List.of(Identity.fresh("fork", 1)), soon()));
                assertRefused(() -> start(engine));
                assertThat(machine.state()).isEqualTo(Machine.State.RUNNING);
                assertThat(WorkerHouse.sh(machine, "echo on")).isEqualTo("on");
                assertThat(record.rows().machines()).hasSize(2);
                assertThat(record.rows().snapshots()).hasSize(1);
                other.close();
                engine.forget(kept);
                assertThat(record.rows().machines()).hasSize(1);
                assertThat(record.rows().snapshots()).isEmpty();
                FileOwner.deleteTree(fillers);
                engine.forget(engine.snapshot(machine, soon()).snapshot());
            }
        }
    }

    private static Machine start(Engine engine) {
        return engine.start(WorkerHouse.base(engine, WorkerHouse.cache()), Identity.fresh("small", 1), soon());
    }

    private static Deadline soon() {
        return Deadline.inSeconds(120);
    }

    private static void assertRefused(ThrowingCallable attempt) {
        assertThatThrownBy(attempt).isInstanceOfSatisfying(BoxdException.class, e -> {
            assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
            assertThat(e.hint()).isNotNull();
        });
    }
}
