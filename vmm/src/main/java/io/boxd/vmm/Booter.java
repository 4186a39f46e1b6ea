package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.image.Image;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * Boots machines from disk, as a computer is switched on.
 *
 * <p>Their memory is a mapping of a blank base, so they fork like any other.
 */
final class Booter {
    private final Cells cells;
    private final Bases bases;
    private final LayerStore layers;
    private final Renewer renewer;
    private final MachineBook book;

    Booter(Cells cells, Bases bases, LayerStore layers, Renewer renewer, MachineBook book) {
        this.cells = cells;
        this.bases = bases;
        this.layers = layers;
        this.renewer = renewer;
        this.book = book;
    }

    /** A machine with a fresh disk of the image. */
    Machine boot(Image image, MachineSize size, Host host, Identity identity, Deadline deadline) {
        Base blank = bases.blank(image, size, host);
        return run(
                blank,
                host,
                blank.layers(),
                folder -> folder.newTop(Ids.random(), size.diskBytes()),
                true,
                identity,
                deadline);
    }

    /** A machine with the disk of one that has ended, which stays where it is. */
    Machine reboot(
            Base base,
            MachineSize size,
            List<Layer> below,
            TopLayer top,
            Host host,
            Identity identity,
            Deadline deadline) {
        Base blank = bases.blank(base.image(), size, host);
        return run(blank, host, below, folder -> folder.adopt(top), false, identity, deadline);
    }

    /** A machine whose disk begins as these layers. */
    Machine bootCopy(Base base, List<Layer> below, Host host, Identity identity, Deadline deadline) {
        Base blank = bases.blank(base.image(), base.size(), host);
        return run(
                blank,
                host,
                below,
                folder -> folder.newTop(Ids.random(), base.size().diskBytes()),
                true,
                identity,
                deadline);
    }

    private Machine run(
            Base blank,
            Host host,
            List<Layer> below,
            Function<CellFolder, TopLayer> makeTop,
            boolean emptyTop,
            Identity identity,
            Deadline deadline) {
        AtomicReference<TopLayer> top = new AtomicReference<>();
        String id = Ids.random();
        Cell cell = cells.start(
                id,
                folder -> {
                    top.set(makeTop.apply(folder));
                    below.subList(Layer.common(blank.layers(), below), below.size())
                            .forEach(folder::grant);
                    return plan(id, blank, host, below, top.get());
                },
                deadline);
        MachineDisk disk = emptyTop
                ? MachineDisk.withEmptyTop(cell, layers, blank.size().diskBytes(), below, top.get())
                : MachineDisk.withUsedTop(cell, layers, blank.size().diskBytes(), below, top.get());
        try {
            cell.connect(deadline);
            AgentConnection agent = reach(cell, deadline);
            renewer.renew(agent, identity, deadline);
            return new Machine(cell, blank, disk, identity, agent, false, renewer, book);
        } catch (RuntimeException e) {
            cell.close();
            disk.release();
            throw e;
        }
    }

    private static AgentConnection reach(Cell cell, Deadline deadline) {
        try {
            return AgentConnection.open(cell.freshAgentChannel(), deadline);
        } catch (BoxdException e) {
            throw cell.explained(e);
        }
    }

    private static CellPlan plan(String id, Base blank, Host host, List<Layer> below, TopLayer top) {
        List<Layer> mounted = below.subList(0, Layer.common(blank.layers(), below));
        JsonNode chain = DiskNodes.chain(
                DiskNodes.nothing(),
                below,
                layer -> (mounted.contains(layer) ? Jail.IMAGE : Jail.DISK) + "/" + layer.id());
        QemuCommand command =
                new QemuCommand(blank.size(), host.accelerator(), host.bundle(), DiskNodes.top(top, chain));
        Map<String, Path> files = new HashMap<>(HuskMaker.layerFiles(blank));
        files.put("kernel", blank.image().kernel());
        files.put("initrd", blank.image().initrd());
        return new CellPlan(
                id,
                host.bundle(),
                host.accelerator(),
                blank.memory(),
                false,
                files,
                command.coldBoot(host.kernelArguments(blank.image()), false),
                HuskMaker.limits(blank.size(), HuskMaker.WORKING_CPU_SHARE),
                blank.size().diskBytes());
    }
}
