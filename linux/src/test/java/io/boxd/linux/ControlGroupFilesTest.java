package io.boxd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which files are written on hosts of either kind, in plain folders that look like theirs. */
@Tag("unit")
class ControlGroupFilesTest {
    private static final ControlGroups.Limits LIMITS = new ControlGroups.Limits(512L << 20, 250, 128, 10);

    @TempDir
    Path root;

    @Test
    void unified() throws IOException {
        touch("cgroup.controllers", "cgroup.procs", "cgroup.subtree_control");
        ControlGroups groups = ControlGroups.open(root, "boxd-x");
        assertThat(groups.unified()).isTrue();
        assertThat(root.resolve("cgroup.subtree_control")).hasContent("+memory +cpu +pids");
        assertThat(root.resolve("boxd-x/cgroup.subtree_control")).hasContent("+memory +cpu +pids");

        ControlGroup group = groups.create("cell-1", LIMITS);
        Path folder = root.resolve("boxd-x/cell-1");
        assertThat(group).isEqualTo(new ControlGroup("cell-1", List.of(folder)));
        assertThat(folder.resolve("memory.max")).hasContent("536870912");
        assertThat(folder.resolve("cpu.max")).hasContent("250000 100000");
        assertThat(folder.resolve("pids.max")).hasContent("128");
        assertThat(folder.resolve("cpu.weight")).hasContent("10");
        groups.setCpuShare(group, 100);
        assertThat(folder.resolve("cpu.weight")).hasContent("100");

        assertThat(groups.names()).containsExactly("cell-1");
        Files.writeString(folder.resolve("cgroup.procs"), "7\n4711\n");
        assertThat(groups.processes(group)).containsExactly(7, 4711);
        empty(folder);
        groups.remove(group, Deadline.inSeconds(1));
        assertThat(groups.names()).isEmpty();
        empty(root.resolve("boxd-x"));
        groups.removeTree(Deadline.inSeconds(1));
        assertThat(root.resolve("boxd-x")).doesNotExist();
    }

    @Test
    void oneHierarchyForEachController() throws IOException {
        for (String controller : List.of("memory", "cpu", "pids")) {
            Files.createDirectory(root.resolve(controller));
            touch(controller + "/cgroup.procs");
        }
        ControlGroups groups = ControlGroups.open(root, "boxd-x");
        assertThat(groups.unified()).isFalse();
        ControlGroup group = groups.create("cell-1", LIMITS);
        assertThat(group.folders())
                .containsExactly(
                        root.resolve("memory/boxd-x/cell-1"),
                        root.resolve("cpu/boxd-x/cell-1"),
                        root.resolve("pids/boxd-x/cell-1"));
        assertThat(root.resolve("memory/boxd-x/cell-1/memory.limit_in_bytes")).hasContent("536870912");
        assertThat(root.resolve("cpu/boxd-x/cell-1/cpu.cfs_quota_us")).hasContent("250000");
        assertThat(root.resolve("cpu/boxd-x/cell-1/cpu.shares")).hasContent("102");
        assertThat(root.resolve("pids/boxd-x/cell-1/pids.max")).hasContent("128");
    }

    /** A plain folder would take every limit and enforce none. */
    @Test
    void refusesAHostWithoutAController() throws IOException {
        for (String controller : List.of("memory", "cpu")) {
            Files.createDirectory(root.resolve(controller));
            touch(controller + "/cgroup.procs");
        }
        assertThatThrownBy(() -> ControlGroups.open(root, "boxd-x"))
                .isInstanceOfSatisfying(BoxdException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                    assertThat(e.hint()).contains("pids");
                })
                .hasMessage("no control groups are mounted at " + root.resolve("pids"));
        assertThat(root.resolve("pids")).doesNotExist();
        assertThat(root.resolve("memory/boxd-x")).doesNotExist();
    }

    @Test
    void aGroupWithGroupsInsideIsNotRemoved() throws IOException {
        touch("cgroup.controllers", "cgroup.procs");
        ControlGroups groups = ControlGroups.open(root, "boxd-x");
        ControlGroup group = groups.create("cell-1", LIMITS);
        Files.createDirectory(group.folders().getFirst().resolve("inner"));
        assertThatThrownBy(() -> groups.remove(group, Deadline.inSeconds(1)))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("has groups inside");
    }

    private void touch(String... names) throws IOException {
        for (String name : names) {
            Files.createFile(root.resolve(name));
        }
    }

    /** The kernel removes a group together with its files. */
    private static void empty(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }
}
