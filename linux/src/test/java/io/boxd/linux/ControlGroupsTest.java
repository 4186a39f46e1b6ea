package io.boxd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** On this host's own control groups, of whichever kind. */
@Tag("host")
class ControlGroupsTest {
    private static final ControlGroups.Limits LIMITS = new ControlGroups.Limits(64L << 20, 150, 17, 10);

    private String tree = "";
    private ControlGroups groups =
            ControlGroups.open("boxd-test-" + ProcessHandle.current().pid());

    @BeforeEach
    void open() {
        tree = "boxd-test-" + ProcessHandle.current().pid();
        groups = ControlGroups.open(tree);
    }

    @AfterEach
    void removeAll() {
        for (String name : groups.names()) {
            groups.remove(groups.find(name), soon());
        }
        groups.removeTree(soon());
        assertThat(Path.of("/sys/fs/cgroup/memory", tree)).doesNotExist();
        assertThat(Path.of("/sys/fs/cgroup", tree)).doesNotExist();
    }

    @Test
    void limitsAreTheKernels() throws IOException {
        ControlGroup group = groups.create("cell", LIMITS);
        if (groups.unified()) {
            assertThat(read("memory.max", group)).isEqualTo("67108864");
            assertThat(read("cpu.max", group)).isEqualTo("150000 100000");
            assertThat(read("cpu.weight", group)).isEqualTo("10");
        } else {
            assertThat(read("memory.limit_in_bytes", group)).isEqualTo("67108864");
            assertThat(read("cpu.cfs_quota_us", group)).isEqualTo("150000");
            assertThat(read("cpu.cfs_period_us", group)).isEqualTo("100000");
            assertThat(read("cpu.shares", group)).isEqualTo("102");
        }
        assertThat(read("pids.max", group)).isEqualTo("17");
    }

    @Test
    void theShareCanBeChanged() throws IOException {
        ControlGroup group = groups.create("cell", LIMITS);
        groups.setCpuShare(group, 100);
        assertThat(groups.unified() ? read("cpu.weight", group) : read("cpu.shares", group))
                .isEqualTo(groups.unified() ? "100" : "1024");
    }

    @Test
    void groupsAreListedAndRemoved() {
        ControlGroup one = groups.create("one", LIMITS);
        groups.create("two", LIMITS);
        assertThat(groups.names()).containsExactlyInAnyOrder("one", "two");
        assertThat(groups.find("one")).isEqualTo(one);
        groups.remove(one, soon());
        groups.remove(one, soon());
        assertThat(groups.names()).containsExactly("two");
        assertThat(one.folders()).allSatisfy(folder -> assertThat(folder).doesNotExist());
    }

    @Test
    void aGroupWithAProcessStaysUntilItIsGone() throws IOException {
        ControlGroup group = groups.create("cell", LIMITS);
        Process process = new ProcessBuilder("sleep", "600").start();
        HostProcess handle = HostProcess.of((int) process.pid()).orElseThrow();
        try {
            for (Path folder : group.folders()) {
                Files.writeString(
                        folder.resolve("cgroup.procs"), Long.toString(process.pid()), StandardOpenOption.WRITE);
            }
            assertThat(groups.processes(group)).containsExactly((int) process.pid());
            assertThatThrownBy(() -> groups.remove(group, Deadline.inMillis(50)))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("stays busy");
        } finally {
            handle.kill();
        }
        assertThat(handle.awaitEnd(soon())).isTrue();
        groups.remove(group, soon());
        assertThat(groups.processes(group)).isEmpty();
    }

    /** As a server leaves it that was killed between two steps of making or removing it. */
    @Test
    void whatIsLeftOfAGroupIsFoundByAnyOfItsFolders() throws IOException {
        ControlGroup group = groups.create("cell", LIMITS);
        Process process = new ProcessBuilder("sleep", "600").start();
        HostProcess handle = HostProcess.of((int) process.pid()).orElseThrow();
        try {
            Path last = group.folders().getLast();
            Files.writeString(last.resolve("cgroup.procs"), Long.toString(process.pid()), StandardOpenOption.WRITE);
            for (Path folder : group.folders()) {
                if (!folder.equals(last)) {
                    Files.delete(folder);
                }
            }
            assertThat(groups.names()).containsExactly("cell");
            assertThat(groups.processes(groups.find("cell"))).containsExactly((int) process.pid());
        } finally {
            handle.kill();
        }
        assertThat(handle.awaitEnd(soon())).isTrue();
        groups.remove(groups.find("cell"), soon());
        assertThat(groups.names()).isEmpty();
    }

    @Test
    void whatProcessesUsedIsStillCountedWhenTheyAreGone() throws IOException {
        ControlGroup group = groups.create("cell", LIMITS);
        String join = group.folders().stream()
                .map(folder -> "echo $$ > " + folder.resolve("cgroup.procs") + "; ")
                .collect(Collectors.joining());
        Process process = new ProcessBuilder(
                        "sh", "-c", join + "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times")
                .start();
        String times = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        HostProcess.of((int) process.pid()).ifPresent(shell -> shell.awaitEnd(soon()));
        Duration counted = groups.cpuTime(group).orElseThrow();
        assertThat(counted).as("more than nothing: %s", times).isGreaterThan(Duration.ofMillis(20));
        assertThat(groups.processes(group)).isEmpty();
        assertThat(groups.cpuTime(group)).contains(counted);
        groups.remove(group, soon());
        assertThat(groups.cpuTime(group)).isEmpty();
    }

    /** The failed attempt must not tear down the group that was there first. */
    @Test
    void aNameIsMadeOnce() {
        ControlGroup first = groups.create("cell", LIMITS);
        assertThatThrownBy(() -> groups.create("cell", LIMITS))
                .isInstanceOf(BoxdException.class)
                .hasMessage("cannot make control group cell");
        assertThat(first.folders()).allSatisfy(folder -> assertThat(folder).isDirectory());
    }

    @Test
    void aLimitThatTheKernelRefusesLeavesNoGroup() {
        assertThatThrownBy(() -> groups.create("cell", new ControlGroups.Limits(64L << 20, 150, -5, 10)))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessage("cannot make control group cell");
        assertThat(groups.names()).isEmpty();
    }

    @Test
    void aTreeWithGroupsIsNotRemoved() {
        groups.create("cell", LIMITS);
        assertThatThrownBy(() -> groups.removeTree(Deadline.inMillis(20))).isInstanceOf(BoxdException.class);
        assertThat(groups.names()).containsExactly("cell");
    }

    @Test
    void openingTwiceIsTheSameTree() {
        groups.create("cell", LIMITS);
        assertThat(ControlGroups.open(tree).names()).isEqualTo(List.of("cell"));
    }

    private static String read(String file, ControlGroup group) throws IOException {
        for (Path folder : group.folders()) {
            if (Files.exists(folder.resolve(file))) {
                return Files.readString(folder.resolve(file)).strip();
            }
        }
        throw new AssertionError("no " + file);
    }

    private static Deadline soon() {
        return Deadline.inSeconds(10);
    }
}
