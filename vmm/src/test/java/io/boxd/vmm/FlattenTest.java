package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chains of layers become short again while the machine runs, and nothing of them is lost. */
@Tag("machine")
class FlattenTest {
    private final TestHouse house = TestHouse.get();

    @Test
    void aLongChainIsFlattenedInTheBackground() {
        try (Machine machine = house.start(house.tinyBase())) {
            int files = Flattener.LONGEST_CHAIN + 2;
            for (int i = 0; i < files; i++) {
                sh(machine, "echo " + i + " > /data/file-" + i + "; sync");
                house.engine()
                        .forget(house.engine()
                                .snapshot(machine, Deadline.inSeconds(60))
                                .snapshot());
            }
            try (Machine child = house.fork(machine)) {
                TestHouse.await(Duration.ofSeconds(60), () -> machine.layers().size() <= 4);
                for (Machine one : new Machine[] {machine, child}) {
                    assertThat(sh(one, "cat /data/file-* | sort -n | tail -1; ls /data | grep -c file-"))
                            .isEqualTo((files - 1) + "\n" + files);
                }
            }
            try (Machine child = house.fork(machine)) {
                assertThat(sh(child, "echo 3 > /proc/sys/vm/drop_caches; ls /data | grep -c file-"))
                        .isEqualTo(Integer.toString(files));
            }
        }
    }

    /** Small writes fill parts of clusters, in every layer and while they are gathered. */
    @Test
    void partsOfClustersAreGatheredWhileMoreAreWritten() {
        String write = "for i in $(seq 40); do dd if=/dev/urandom of=/data/scattered bs=2k count=1 conv=notrunc"
                + " seek=$((i * 13 + %d)) 2>/dev/null; done; sync";
        try (Machine machine = house.start(house.tinyBase())) {
            sh(machine, "dd if=/dev/zero of=/data/scattered bs=64k count=24 2>/dev/null; sync");
            int rounds = Flattener.LONGEST_CHAIN + (TestHouse.LONG ? 60 : 6);
            for (int i = 0; i < rounds; i++) {
                sh(machine, write.formatted(i));
                // Each begins a flattening if the chain is long, and breaks off the one before.
                house.fork(machine).close();
                sh(machine, write.formatted(i + 7));
            }
            String hash = sh(machine, "sha256sum < /data/scattered");
            TestHouse.await(Duration.ofSeconds(60), () -> machine.layers().size() <= Flattener.LONGEST_CHAIN + 2);
            assertThat(sh(machine, "echo 3 > /proc/sys/vm/drop_caches; sha256sum < /data/scattered"))
                    .isEqualTo(hash);
            try (Machine child = house.fork(machine)) {
                assertThat(sh(child, "echo 3 > /proc/sys/vm/drop_caches; sha256sum < /data/scattered"))
                        .isEqualTo(hash);
            }
        }
    }

    @Test
    void whatAGuestDiscardsIsGivenBackToTheHost() throws IOException {
        try (Machine machine = house.start(house.tinyBase())) {
            sh(machine, "dd if=/dev/urandom of=/data/much bs=1M count=24; sync");
            long full = allocated(machine.cell().folder().disk());
            sh(machine, "rm /data/much; sync; fstrim /data");
            assertThat(full).isGreaterThan(20L << 20);
            assertThat(allocated(machine.cell().folder().disk())).isLessThan(full - (16L << 20));
        }
    }

    private static long allocated(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            long blocks = 0;
            for (Path file : files.toList()) {
                blocks += 512
                        * Long.parseLong(io.boxd.linux.Command.of("stat", "-c", "%b", file.toString())
                                .check(Deadline.inSeconds(10))
                                .output()
                                .strip());
            }
            return blocks;
        }
    }
}
