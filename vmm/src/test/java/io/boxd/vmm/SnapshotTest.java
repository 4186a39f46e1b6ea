package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Snapshots, hibernation and rollback of real machines. */
@Tag("machine")
class SnapshotTest {
    private final TestHouse house = TestHouse.get();
    private final Engine engine = house.engine();

    @Test
    void aSnapshotHoldsMemoryProcessesAndDiskOfOneInstant() {
        try (Machine source = house.start(house.tinyBase())) {
            startCounter(source);
            sh(source, "echo before > /data/file; echo before > /tmp/file; sync");
            Snapshot snapshot = engine.snapshot(source, Deadline.inSeconds(60)).snapshot();
            sh(source, "echo after > /data/file; echo after > /tmp/file; sync");
            long counted = count(source);
            for (int i = 0; i < 2; i++) {
                try (Machine copy = engine.start(snapshot, Identity.fresh("copy-" + i, 1), Deadline.inSeconds(60))) {
                    assertThat(sh(copy, "hostname")).isEqualTo("copy-" + i);
                    assertThat(sh(copy, "cat /data/file /tmp/file")).isEqualTo("before\nbefore");
                    awaitCountBeyond(copy, 0);
                    sh(copy, "echo copy > /data/file; sync");
                }
            }
            assertThat(sh(source, "cat /data/file /tmp/file")).isEqualTo("after\nafter");
            awaitCountBeyond(source, counted);
            engine.forget(snapshot);
            assertThat(engine.snapshots()).doesNotContain(snapshot);
            assertThatThrownBy(() -> engine.start(snapshot, Identity.fresh("late", 1), Deadline.inSeconds(10)))
                    .isInstanceOfSatisfying(
                            BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
        }
    }

    @Test
    void aHibernatedMachineGoesOnAsItselfAndUsesNoMemoryMeanwhile() {
        int rounds = TestHouse.LONG ? 50 : 3;
        Machine machine = house.start(house.tinyBase());
        Snapshot last = null;
        try {
            startCounter(machine);
            String pid = sh(machine, "cat /tmp/pid");
            for (int round = 1; round <= rounds; round++) {
                sh(machine, "echo " + round + " > /data/round; sync");
                long counted = count(machine);
                int qemu = machine.pid();
                Identity identity = machine.identity();
                Snapshot snapshot =
                        engine.hibernate(machine, Deadline.inSeconds(60)).snapshot();
                if (last != null) {
                    engine.forget(last);
                }
                last = snapshot;
                assertThat(machine.state()).isEqualTo(Machine.State.ENDED);
                assertThat(io.boxd.linux.HostProcess.of(qemu)).isEmpty();
                machine = engine.start(snapshot, identity.next(), Deadline.inSeconds(60));
                assertThat(machine.identity().generation()).isEqualTo(identity.generation() + 1);
                assertThat(sh(machine, "cat /tmp/pid; cat /data/round")).isEqualTo(pid + "\n" + round);
                awaitCountBeyond(machine, counted);
                long skew = Math.abs(Long.parseLong(sh(machine, "date +%s")) - System.currentTimeMillis() / 1000);
                assertThat(skew).isLessThanOrEqualTo(1);
            }
        } finally {
            machine.close();
            if (last != null) {
                engine.forget(last);
            }
        }
    }

    @Test
    void aMachineNeverRunsTwice() {
        try (Machine machine = house.start(house.tinyBase())) {
            Snapshot snapshot = engine.snapshot(machine, Deadline.inSeconds(60)).snapshot();
            assertThatThrownBy(() -> engine.start(snapshot, machine.identity().next(), Deadline.inSeconds(60)))
                    .isInstanceOfSatisfying(
                            BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WRONG_STATE));
            engine.forget(snapshot);
            assertThat(sh(machine, "echo still here")).isEqualTo("still here");
        }
    }

    @Test
    void rollbackPutsAMachineBackUnderItsOwnName() {
        Machine machine = house.start(house.tinyBase());
        try {
            sh(machine, "echo good > /data/file; sync");
            Snapshot snapshot = engine.snapshot(machine, Deadline.inSeconds(60)).snapshot();
            sh(machine, "echo bad > /data/file; sync");
            Identity before = machine.identity();
            machine = engine.rollback(machine, snapshot, Deadline.inSeconds(60));
            assertThat(sh(machine, "cat /data/file; hostname")).isEqualTo("good\n" + before.hostname());
            assertThat(machine.identity()).isEqualTo(before.next());
            sh(machine, "echo again > /data/file; sync");
            machine = engine.rollback(machine, snapshot, Deadline.inSeconds(60));
            assertThat(sh(machine, "cat /data/file")).isEqualTo("good");
            engine.forget(snapshot);
            assertThat(sh(machine, "cat /data/file")).isEqualTo("good");
        } finally {
            machine.close();
        }
    }

    @Test
    void aLargeDifferenceIsMappedWholeAndSnapshotsOfThatAreRightAgain() {
        MachineSize size = new MachineSize(1, 512 * MachineSize.MIB, 256 * MachineSize.MIB);
        Machine machine = house.start(house.base(house.tiny(), size));
        try {
            sh(machine, "dd if=/dev/urandom of=/tmp/one bs=1M count=2; dd if=/dev/zero of=/tmp/much bs=1M count=140");
            String one = sh(machine, "sha256sum < /tmp/one");
            Snapshot first = engine.hibernate(machine, Deadline.inSeconds(120)).snapshot();
            TestHouse.await(java.time.Duration.ofSeconds(60), () -> engine.settled(first));
            machine = engine.start(first, first.identity().next(), Deadline.inSeconds(60));
            assertThat(machine.base().id()).isEqualTo("full-" + first.id());
            assertThat(machine.dirtyBytes()).isLessThan(60L << 20);
            assertThat(sh(machine, "sha256sum < /tmp/one")).isEqualTo(one);
            sh(machine, "dd if=/dev/urandom of=/tmp/two bs=1M count=2");
            String two = sh(machine, "sha256sum < /tmp/two");
            // Relative to the image's base again, with pages of both lives.
            Snapshot second = engine.hibernate(machine, Deadline.inSeconds(120)).snapshot();
            engine.forget(first);
            assertThat(second.base()).isEqualTo(first.base());
            machine = engine.start(second, second.identity().next(), Deadline.inSeconds(60));
            assertThat(sh(machine, "sha256sum < /tmp/one")).isEqualTo(one);
            assertThat(sh(machine, "sha256sum < /tmp/two")).isEqualTo(two);
            Machine child = house.fork(machine);
            assertThat(sh(child, "sha256sum < /tmp/one; sha256sum < /tmp/two")).isEqualTo(one + "\n" + two);
            child.close();
            engine.forget(second);
        } finally {
            machine.close();
        }
    }

    static void startCounter(Machine machine) {
        sh(
                machine,
                "(n=0; echo $$ > /tmp/pid; while true; do n=$((n+1)); echo $n > /tmp/n.new; mv /tmp/n.new /tmp/n;"
                        + " usleep 20000; done) >/dev/null 2>&1 & while ! [ -s /tmp/n ]; do usleep 10000; done");
    }

    static long count(Machine machine) {
        return Long.parseLong(sh(machine, "cat /tmp/n"));
    }

    static void awaitCountBeyond(Machine machine, long count) {
        TestHouse.await(java.time.Duration.ofSeconds(30), () -> count(machine) > count + 3);
    }
}
