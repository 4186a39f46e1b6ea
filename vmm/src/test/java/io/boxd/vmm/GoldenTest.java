package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sources that many machines are made from: their state becomes a base that all children share. */
@Tag("machine")
class GoldenTest {
    private final TestHouse house = TestHouse.get();

    @Test
    void aStandingSourceIsCapturedOnceAndItsChildrenStartFromThat() throws IOException {
        Machine golden = house.start(house.tinyBase());
        try {
            sh(golden, "dd if=/dev/urandom of=/tmp/held bs=1M count=20 2>/dev/null; echo state > /data/file; sync");
            String hash = sh(golden, "sha256sum < /tmp/held");
            golden.pause(Deadline.inSeconds(10));
            ForkResult first = fork(golden);
            ForkResult second = fork(golden);
            ForkResult third = fork(golden);
            assertThat(first.dirtyBytes()).isGreaterThan(20L << 20);
            assertThat(second.dirtyBytes()).isZero();
            assertThat(third.machines().getFirst().base())
                    .isEqualTo(second.machines().getFirst().base())
                    .isNotEqualTo(golden.base());
            for (ForkResult result : List.of(first, second, third)) {
                try (Machine child = result.machines().getFirst()) {
                    assertThat(sh(child, "sha256sum < /tmp/held; cat /data/file"))
                            .isEqualTo(hash + "\nstate");
                    try (Machine grandchild = house.fork(child)) {
                        assertThat(sh(grandchild, "sha256sum < /tmp/held")).isEqualTo(hash);
                    }
                }
            }
            golden.resume(Deadline.inSeconds(10));
            sh(golden, "echo later > /data/file");
            try (Machine child = house.fork(golden)) {
                assertThat(sh(child, "cat /data/file")).isEqualTo("later");
            }
        } finally {
            golden.close();
        }
        TestHouse.await(Duration.ofSeconds(10), () -> promotedBases() == 0);
    }

    @Test
    void aPromotedMachineIsABaseLikeAnyOther() {
        Base base;
        try (Machine source = house.start(house.tinyBase())) {
            sh(source, "echo promoted > /tmp/mark");
            base = house.engine().promote(source, Deadline.inSeconds(60));
            assertThat(sh(source, "cat /tmp/mark")).isEqualTo("promoted");
        }
        try (Machine one = house.start(base);
                Machine two = house.start(base)) {
            // Nothing was copied into them: what they have of their own came after their start.
            assertThat(one.dirtyBytes()).isLessThan(16L << 20);
            sh(one, "echo changed > /tmp/mark");
            assertThat(sh(two, "cat /tmp/mark")).isEqualTo("promoted");
        }
        house.engine().forget(base);
        assertThat(base.memory()).doesNotExist();
    }

    private ForkResult fork(Machine source) {
        return house.engine().fork(source, List.of(Identity.fresh("child", 2)), Deadline.inSeconds(60));
    }

    private long promotedBases() {
        try (Stream<Path> entries = Files.list(house.engine().config().ownBases())) {
            // Those of images have longer names.
            return entries.filter(entry -> entry.getFileName().toString().matches("[0-9a-f]{16}"))
                    .count();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
