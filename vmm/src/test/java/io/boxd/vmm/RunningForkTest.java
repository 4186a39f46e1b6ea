package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.Execution;
import io.boxd.guest.ShutdownMode;
import io.boxd.linux.Command;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Programs of a real distribution on two processors, forked while they work: a counter, a database
 * under writes, a process that holds much memory.
 */
@Tag("machine")
class RunningForkTest {
    private static final int WIDE = TestHouse.LONG ? 10 : 2;
    private static final int HELD_MEGABYTES = TestHouse.LONG ? 300 : 60;
    private static final int GENERATIONS = 3;

    private final TestHouse house = TestHouse.get();

    @Test
    void programsRunOnInSourceAndForksAndNothingCrosses() throws Exception {
        List<Machine> machines = new ArrayList<>();
        try {
            Machine source = house.start(house.debianBase());
            machines.add(source);
            startPrograms(source);
            String checksum = checksum(source);
            for (int generation = 1; generation <= GENERATIONS; generation++) {
                source = forkAndCheck(source, generation, checksum, machines);
            }
            checkWide(source, checksum, machines);
            checkFileSystem(source);
        } finally {
            machines.forEach(Machine::close);
        }
    }

    /** Forks once, compares both, destroys the source, and goes on with the child. */
    private Machine forkAndCheck(Machine source, int generation, String checksum, List<Machine> machines) {
        Count before = count(source);
        long rowsBefore = Long.parseLong(sh(source, "cat /dev/shm/rows"));
        String name = "generation-" + generation;
        Machine child = house.engine()
                .fork(source, List.of(Identity.fresh(name, generation + 1)), Deadline.inSeconds(60))
                .machines()
                .getFirst();
        machines.add(child);
        assertThat(sh(child, "hostname")).isEqualTo(name);
        for (Machine machine : List.of(source, child)) {
            Count later = awaitCountBeyond(machine, before.count() + 20);
            assertThat(later.pid()).isEqualTo(before.pid());
            assertThat(later.stepsBack()).isZero();
            assertThat(checksum(machine)).isEqualTo(checksum);
        }
        awaitRowBeyond(source, rowsBefore + 20);
        awaitRowBeyond(child, rowsBefore + 20);
        Rows ofSource = rows(source);
        Rows ofChild = rows(child);
        assertThat(ofSource.integrity()).isEqualTo("ok");
        assertThat(ofChild.integrity()).isEqualTo("ok");
        assertThat(ofSource.count()).isEqualTo(ofSource.highest());
        assertThat(ofChild.count()).isEqualTo(ofChild.highest());
        assertThat(ofSource.hosts()).doesNotContain(name);
        assertThat(ofChild.hosts()).contains(name);
        source.close();
        return child;
    }

    private void checkWide(Machine source, String checksum, List<Machine> machines) {
        Count before = count(source);
        List<Machine> children = house.fork(source, WIDE);
        machines.addAll(children);
        for (Machine child : children) {
            Count later = awaitCountBeyond(child, before.count() + 5);
            assertThat(later.pid()).isEqualTo(before.pid());
        }
        for (Machine child : children) {
            assertThat(checksum(child)).isEqualTo(checksum);
            assertThat(rows(child).integrity()).isEqualTo("ok");
            child.close();
        }
        assertThat(awaitCountBeyond(source, before.count() + 5).pid()).isEqualTo(before.pid());
    }

    /** Switches the machine off in order and checks its whole disk from outside. */
    private void checkFileSystem(Machine machine) throws Exception {
        machine.agent().shutdown(ShutdownMode.POWER_OFF, Deadline.inSeconds(20));
        assertThat(machine.ended().get(90, TimeUnit.SECONDS)).isEqualTo(EndReason.POWERED_OFF);
        Path raw = house.home().resolve("checked.raw");
        try {
            String chain = io.boxd.common.Json.write(DiskNodes.top(
                    machine.disk().top(),
                    DiskNodes.chain(
                            DiskNodes.nothing(),
                            machine.disk().layers(),
                            layer -> layer.file().toString())));
            String onHost = chain.replace(
                    "\"" + machine.disk().top().pathInJail() + "\"",
                    "\"" + machine.disk().top().file() + "\"");
            Command.of("qemu-img", "convert", "-O", "raw", "json:" + onHost, raw.toString())
                    .check(Deadline.inSeconds(120));
            Command.of("e2fsck", "-fn", raw.toString()).check(Deadline.inSeconds(120));
        } finally {
            java.nio.file.Files.deleteIfExists(raw);
        }
    }

    private static void startPrograms(Machine machine) throws IOException {
        for (String program : List.of("counter", "holder", "writer", "rows")) {
            put(machine, program + ".py");
        }
        for (String command : List.of("counter.py", "writer.py", "holder.py " + HELD_MEGABYTES)) {
            sh(machine, "cd /root && setsid python3 " + command + " >/dev/shm/log 2>&1 </dev/null &");
        }
        awaitInside(machine, "[ -e /dev/shm/checksum -a -e /dev/shm/counter -a -e /dev/shm/rows ]");
        awaitCountBeyond(machine, 10);
        awaitRowBeyond(machine, 10);
    }

    private static void put(Machine machine, String name) throws IOException {
        try (InputStream text = Objects.requireNonNull(RunningForkTest.class.getResourceAsStream(name));
                Execution cat = machine.agent()
                        .start(
                                ExecRequest.argv("/bin/sh", "-c", "cat > /root/" + name)
                                        .withStdin(true),
                                Deadline.inSeconds(10))) {
            try (OutputStream stdin = cat.stdin()) {
                text.transferTo(stdin);
            }
            cat.await(Deadline.inSeconds(10));
        }
    }

    private record Count(int pid, long count, int stepsBack) {}

    private static Count count(Machine machine) {
        String[] words = sh(machine, "cat /dev/shm/counter").split(" ", -1);
        return new Count(Integer.parseInt(words[0]), Long.parseLong(words[1]), Integer.parseInt(words[2]));
    }

    private static Count awaitCountBeyond(Machine machine, long target) {
        awaitInside(machine, "[ $(cut -d' ' -f2 /dev/shm/counter) -gt " + target + " ]");
        return count(machine);
    }

    private static void awaitRowBeyond(Machine machine, long target) {
        awaitInside(machine, "[ $(cat /dev/shm/rows) -gt " + target + " ]");
    }

    private record Rows(String integrity, long count, long highest, List<String> hosts) {}

    private static Rows rows(Machine machine) {
        List<String> lines = sh(machine, "python3 /root/rows.py").lines().toList();
        String[] totals = lines.get(1).split(" ", -1);
        return new Rows(
                lines.getFirst(),
                Long.parseLong(totals[0]),
                Long.parseLong(totals[1]),
                lines.stream()
                        .skip(2)
                        .map(line -> line.substring(0, line.indexOf(' ')))
                        .toList());
    }

    /** What the holder says now; a new answer each time, so that an old file cannot pass for one. */
    private static String checksum(Machine machine) {
        String before = sh(machine, "cat /dev/shm/checksum");
        sh(machine, "kill -USR1 " + before.split(" ", -1)[0]);
        awaitInside(machine, "[ \"$(cat /dev/shm/checksum)\" != '" + before + "' ]");
        return sh(machine, "cat /dev/shm/checksum").split(" ", -1)[2];
    }

    /** Waits in the guest, where asking costs little. */
    private static void awaitInside(Machine machine, String condition) {
        sh(machine, "timeout 60 sh -c 'until " + condition.replace("'", "'\\''") + "; do sleep 0.05; done'");
    }
}
