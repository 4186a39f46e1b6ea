package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.linux.HostProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Cells made ahead: taken once, replaced when they die, refilled to what is wanted. */
@Tag("machine")
class PoolTest {
    private final TestHouse house = TestHouse.get();
    private final Base base = house.tinyBase();

    @AfterEach
    void emptyPool() {
        house.engine().pools().drop(base);
    }

    @Test
    void warmedMachinesAreHandedOutOnceAndDiffer() {
        house.engine().keepPool(base, new PoolSize(0, 0, 2));
        awaitLevel(0, 2);
        List<Machine> machines = new ArrayList<>();
        try {
            machines.add(house.start(base));
            machines.add(house.start(base));
            machines.add(house.start(base));
            assertThat(machines.stream().map(Machine::pid).distinct()).hasSize(3);
            assertThat(machines.stream()
                            .map(machine -> sh(machine, "head -c 16 /dev/urandom | od -An -tx1"))
                            .distinct())
                    .hasSize(3);
            assertThat(sh(machines.getFirst(), "hostname")).isEqualTo("test");
        } finally {
            machines.forEach(Machine::close);
        }
        awaitLevel(0, 2);
    }

    @Test
    void aHuskThatDiesInThePoolIsReplaced() {
        house.engine().keepPool(base, new PoolSize(1, 2, 0));
        awaitLevel(1, 0);
        Husk first = house.engine().pools().takeHusk(base, io.boxd.common.Deadline.inSeconds(10));
        first.close();
        awaitLevel(1, 0);
        int dead = pooledPid();
        HostProcess.of(dead).orElseThrow().kill();
        TestHouse.await(Duration.ofSeconds(20), () -> pooledPid() != dead && pooledPid() != 0);
        try (Machine source = house.start(base);
                Machine child = house.fork(source)) {
            assertThat(sh(child, "echo alive")).isEqualTo("alive");
        }
    }

    @Test
    void husksThatNobodyAsksForAreGivenUp() {
        house.engine().keepPool(base, new PoolSize(3, 3, 0));
        awaitLevel(3, 0);
        house.engine().keepPool(base, new PoolSize(1, 3, 0, Duration.ofMillis(100)));
        awaitLevel(1, 0);
    }

    private int pooledPid() {
        return house.engine()
                .pools()
                .peek(base)
                .map(husk -> husk.cell().process().pid())
                .orElse(0);
    }

    private void awaitLevel(int husks, int warm) {
        TestHouse.await(
                Duration.ofSeconds(60), () -> house.engine().poolLevel(base).equals(new PoolLevel(husks, warm)));
    }
}
