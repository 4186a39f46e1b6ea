package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Command;
import io.boxd.linux.ControlGroup;
import io.boxd.linux.ControlGroups;
import io.boxd.linux.FileOwner;
import io.boxd.linux.HostProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** Makes cells: user id, control group, folder, and a jailed process in them; takes them apart again. */
final class Cells {
    private static final String TAP = "tap0";
    private static final String GROUP_PREFIX = "cell-";
    private static final String SILENCE = "it left no message";
    private static final long EXTRA_FILE_BYTES = 1L << 30;

    private static final Duration EMPTYING = Duration.ofSeconds(5);

    private final EngineConfig config;
    private final ControlGroups groups;
    private final UidBlock uids;
    private final Uplinks uplinks;
    private final Consumer<QemuBundle> admission;

    /** @param admission refuses a QEMU that must not be started */
    Cells(EngineConfig config, ControlGroups groups, UidBlock uids, Uplinks uplinks, Consumer<QemuBundle> admission) {
        this.config = config;
        this.groups = groups;
        this.uids = uids;
        this.uplinks = uplinks;
        this.admission = admission;
    }

    /**
     * Makes a cell and starts its process.
     *
     * @param plan is asked for once the cell's folder exists, so that it can put files there
     */
    Cell start(String id, Function<CellFolder, CellPlan> plan, Deadline deadline) {
        int uid = uids.acquire();
        Path path = config.cells().resolve(id);
        try {
            CellFolder folder = CellFolder.create(path, uid);
            CellPlan planned = plan.apply(folder);
            admission.accept(planned.bundle());
            ControlGroup group = groups.create(groupName(id), planned.limits());
            Optional<Uplink> uplink = Optional.empty();
            try {
                // A base is made offline: what it downloaded or said would be in every machine of it.
                uplink = planned.memoryWritable() ? Optional.empty() : uplinks.take();
                HostProcess process = launch(folder, planned, group, uplink, deadline);
                return new Cell(this, planned, folder, group, process, uplink);
            } catch (RuntimeException e) {
                groups.remove(group, Deadline.inSeconds(2));
                uplink.ifPresent(uplinks::giveBack);
                throw e;
            }
        } catch (RuntimeException e) {
            FileOwner.deleteTree(path);
            uids.release(uid);
            throw e;
        }
    }

    /** The cell of a machine that an earlier server started, if its process still runs. */
    Optional<Cell> adopt(MachineRow row, CellPlan plan) {
        CellFolder folder = new CellFolder(config.cells().resolve(row.id()), row.uid());
        HostProcess process = new HostProcess(row.pid(), row.startTicks());
        ControlGroup group = groups.find(groupName(row.id()));
        if (!process.alive() || !groups.processes(group).contains(row.pid())) {
            return Optional.empty();
        }
        uids.claim(row.uid());
        return Optional.of(new Cell(this, plan, folder, group, process, adoptUplink(row)));
    }

    /** A machine whose wire has gone runs on without a network. */
    private Optional<Uplink> adoptUplink(MachineRow row) {
        return row.uplink().isEmpty() ? Optional.empty() : uplinks.adopt(row.uplink());
    }

    /** What is left of a cell whose process has ended without us. */
    CellFolder remains(MachineRow row) {
        return new CellFolder(config.cells().resolve(row.id()), row.uid());
    }

    /** Its process has ended while nobody watched, so its control group may still be there, empty. */
    void removeRemains(CellFolder folder) {
        String id = folder.path().getFileName().toString();
        groups.remove(groups.find(groupName(id)), Deadline.in(EMPTYING));
        FileOwner.deleteTree(folder.path());
    }

    private static String groupName(String id) {
        return GROUP_PREFIX + id;
    }

    /** Whose control group has this name. */
    static Optional<String> idOf(String groupName) {
        return groupName.startsWith(GROUP_PREFIX)
                ? Optional.of(groupName.substring(GROUP_PREFIX.length()))
                : Optional.empty();
    }

    /** Gives a waiting cell the share of a working one. */
    void promote(Cell cell) {
        groups.setCpuShare(cell.group(), HuskMaker.WORKING_CPU_SHARE);
    }

    /** Ends the process and removes its control group; the folder stays until {@link #remove}. */
    void end(Cell cell, Deadline deadline) {
        cell.process().kill();
        if (!cell.process().awaitEnd(deadline)) {
            throw deadline.exceeded("ending QEMU process " + cell.process().pid());
        }
        cell.noteCpuTime(cpuTime(cell));
        groups.remove(cell.group(), deadline);
    }

    /** Of everything that ever ran in the cell, to the end; where a host does not count that, of its process. */
    Duration cpuTime(Cell cell) {
        return groups.cpuTime(cell.group()).orElseGet(cell.process()::cpuTime);
    }

    /** Ends and removes what a server that was killed has left, except for these cells. */
    void sweep(Set<String> keep, Deadline deadline) {
        for (String name : groups.names()) {
            if (keep.stream().map(Cells::groupName).anyMatch(name::equals)) {
                continue;
            }
            ControlGroup group = groups.find(name);
            List<HostProcess> left = groups.processes(group).stream()
                    .map(HostProcess::of)
                    .flatMap(Optional::stream)
                    .toList();
            left.forEach(HostProcess::kill);
            for (HostProcess process : left) {
                if (!process.awaitEnd(deadline)) {
                    throw deadline.exceeded("ending process " + process.pid() + " of an earlier server");
                }
            }
            groups.remove(group, deadline);
        }
        try (Stream<Path> folders = Files.list(config.cells())) {
            folders.filter(folder -> !keep.contains(folder.getFileName().toString()))
                    .forEach(FileOwner::deleteTree);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot look into " + config.cells(), e);
        }
    }

    void remove(Cell cell) {
        FileOwner.deleteTree(cell.folder().path());
        rest(cell);
    }

    /** Gives back what only a running machine needs. */
    void rest(Cell cell) {
        // Better lost than shared with a process that could not be ended.
        if (!cell.process().alive()) {
            uids.release(cell.folder().uid());
            cell.uplink().ifPresent(uplinks::giveBack);
        }
    }

    private HostProcess launch(
            CellFolder folder, CellPlan plan, ControlGroup group, Optional<Uplink> uplink, Deadline deadline) {
        List<String> command = new ArrayList<>();
        command.addAll(
                List.of(config.launcher().toString(), "--folder", folder.path().toString()));
        command.addAll(List.of("--uid", Integer.toString(folder.uid())));
        command.addAll(List.of("--bundle", plan.bundle().root().toString()));
        command.addAll(List.of("--program", QemuBundle.PROGRAM));
        command.addAll(List.of("--memory", plan.memory() + (plan.memoryWritable() ? ":rw" : "")));
        plan.readOnlyFiles().forEach((name, file) -> command.addAll(List.of("--read-only", file + "=" + name)));
        command.addAll(List.of("--disks", folder.disk().toString()));
        for (Path cgroup : group.folders()) {
            command.addAll(List.of("--cgroup", cgroup.toString()));
        }
        command.addAll(List.of("--fsize", Long.toString(plan.diskBytes() + EXTRA_FILE_BYTES)));
        command.addAll(List.of("--tap", uplink.map(Uplink::tap).orElse(TAP)));
        uplink.ifPresent(
                given -> command.addAll(List.of("--network", given.namespace().toString())));
        if (plan.accelerator() == Accelerator.KVM) {
            command.add("--kvm");
        }
        command.add("--");
        command.addAll(plan.arguments());
        String answer = Command.of(command).check(deadline).output().strip();
        if (!answer.startsWith("pid=")) {
            throw new BoxdException(ErrorCode.INTERNAL, "the launcher said " + Printable.of(answer));
        }
        int pid = Integer.parseInt(answer.substring(4));
        return HostProcess.of(pid)
                .orElseThrow(() -> new BoxdException(
                        ErrorCode.UNAVAILABLE, "QEMU ended as soon as it was started: " + lastWords(folder)));
    }

    /** The end of what a process wrote to its log, for error messages. */
    static String lastWords(CellFolder folder) {
        try {
            String text = Files.readString(folder.log()).strip();
            return text.isEmpty() ? SILENCE : Printable.of(text.substring(Math.max(0, text.length() - 400)));
        } catch (IOException e) {
            return SILENCE;
        }
    }
}
