package io.boxd.vmm;

import io.boxd.common.Deadline;
import io.boxd.linux.ControlGroups;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** Makes husks: everything of a machine that can be made before it is known which one it will be. */
final class HuskMaker {
    /** QEMU itself: its own memory, translation buffer, and room for pages copied in from a source. */
    private static final long OVERHEAD_BYTES = 512L << 20;

    private static final int PROCESSES = 128;

    /** Of a processor, for QEMU's own threads beside the guest's. */
    private static final int OVERHEAD_CPU_PERCENT = 50;

    /** While nobody has asked for it, making a husk must not slow down those who work. */
    static final int WAITING_CPU_SHARE = 10;

    static final int WORKING_CPU_SHARE = 100;

    private final Cells cells;

    HuskMaker(Cells cells) {
        this.cells = cells;
    }

    Husk make(Base base, int cpuShare, Deadline deadline) {
        AtomicReference<TopLayer> top = new AtomicReference<>();
        String id = Ids.random();
        Cell cell = cells.start(
                id,
                folder -> {
                    top.set(folder.newTop(Ids.random(), base.size().diskBytes()));
                    return plan(id, base, top.get(), cpuShare);
                },
                deadline);
        try {
            cell.connect(deadline);
            Husk husk = new Husk(base, cell, top.get());
            husk.prepare(deadline);
            return husk;
        } catch (RuntimeException e) {
            cell.close();
            throw e;
        }
    }

    static CellPlan plan(String id, Base base, TopLayer top, int cpuShare) {
        QemuCommand command = new QemuCommand(
                base.size(),
                base.accelerator(),
                base.bundle(),
                DiskNodes.top(
                        top,
                        DiskNodes.chain(DiskNodes.nothing(), base.layers(), layer -> Jail.IMAGE + "/" + layer.id())));
        return new CellPlan(
                id,
                base.bundle(),
                base.accelerator(),
                base.memory(),
                false,
                layerFiles(base),
                command.husk(),
                limits(base.size(), cpuShare),
                base.size().diskBytes());
    }

    static Map<String, Path> layerFiles(Base base) {
        Map<String, Path> files = new HashMap<>();
        base.layers().forEach(layer -> files.put(layer.id(), layer.file()));
        return files;
    }

    static ControlGroups.Limits limits(MachineSize size, int cpuShare) {
        return new ControlGroups.Limits(
                size.memoryBytes() + OVERHEAD_BYTES, size.cpus() * 100 + OVERHEAD_CPU_PERCENT, PROCESSES, cpuShare);
    }
}
