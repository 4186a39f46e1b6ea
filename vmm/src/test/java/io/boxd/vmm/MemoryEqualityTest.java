package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.PageBuffer;
import io.boxd.linux.PageRuns;
import io.boxd.linux.ProcessMemory;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All of a child's memory, byte for byte, against its source's, before either runs on. */
@Tag("machine")
class MemoryEqualityTest {
    private static final MachineSize TWO_PROCESSORS = new MachineSize(2, 256 * MachineSize.MIB, 256 * MachineSize.MIB);

    private final TestHouse house = TestHouse.get();

    @Test
    void aLoadedChildHasTheMemoryOfItsSourceThreeGenerationsDeep() {
        Base base = house.base(house.tiny(), TWO_PROCESSORS);
        List<Machine> generations = new ArrayList<>();
        try {
            generations.add(house.start(base));
            for (int depth = 0; depth < 3; depth++) {
                Machine source = generations.getLast();
                keepBusy(source, depth);
                assertEqualMemory(source);
                generations.add(house.fork(source));
            }
            assertThat(sh(generations.getLast(), "cat /tmp/depth-*")).isEqualTo("0\n1\n2");
        } finally {
            generations.forEach(Machine::close);
        }
    }

    @Test
    void redControlOnePageLessIsNoticed() {
        Base base = house.base(house.tiny(), TWO_PROCESSORS);
        try (Machine source = house.start(base)) {
            keepBusy(source, 0);
            Deadline deadline = Deadline.inSeconds(60);
            source.pause(deadline);
            try (Capture capture = house.engine().captures().take(source, deadline);
                    Husk husk = house.engine().pools().takeHusk(base, deadline)) {
                PageRuns.Builder incomplete = new PageRuns.Builder();
                for (int run = 0; run < capture.runs().count() - 1; run++) {
                    incomplete.add(capture.runs().start(run), capture.runs().end(run));
                }
                husk.inject(incomplete.build(), capture.pages(), house.engine().copier());
                assertThat(hash(husk.cell().memory()))
                        .isNotEqualTo(hash(source.cell().memory()));
            }
        }
    }

    /** Both processors write memory, and one the disk, while the fork happens. */
    private static void keepBusy(Machine machine, int depth) {
        sh(
                machine,
                "echo " + depth + " > /tmp/depth-" + depth
                        + "; (while true; do dd if=/dev/urandom of=/tmp/busy bs=64k count=16; done) >/dev/null 2>&1 &"
                        + "(while true; do dd if=/tmp/busy of=/data/busy bs=64k; sync; done) >/dev/null 2>&1 &");
    }

    private void assertEqualMemory(Machine source) {
        Deadline deadline = Deadline.inSeconds(60);
        source.pause(deadline);
        try (Capture capture = house.engine().captures().take(source, deadline);
                Husk husk = house.engine().pools().takeHusk(source.base(), deadline)) {
            assertThat(capture.runs().bytes()).isPositive();
            husk.retarget(capture.layers(), deadline);
            husk.inject(capture.runs(), capture.pages(), house.engine().copier());
            husk.load(capture.deviceState(), deadline);
            assertThat(hash(husk.cell().memory())).isEqualTo(hash(source.cell().memory()));
        } finally {
            source.resume(deadline);
        }
    }

    private static String hash(ProcessMemory memory) {
        long chunk = 16L << 20;
        MessageDigest hash = Hashes.sha256();
        try (PageBuffer buffer = PageBuffer.allocate(chunk)) {
            for (long at = 0; at < memory.size(); at += chunk) {
                PageRuns.Builder all = new PageRuns.Builder();
                all.add(at, Math.min(at + chunk, memory.size()));
                memory.read(all.build(), buffer);
                hash.update(buffer.bytes(0, (int) chunk));
            }
        }
        return HexFormat.of().formatHex(hash.digest());
    }
}
