package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.CommandOutput;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.ExitStatus;
import io.boxd.guest.image.Image;
import io.boxd.linux.FileOwner;
import io.boxd.linux.SparseFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/** Boots an image once, lets it settle, and freezes it. */
final class BaseMaker {
    private static final System.Logger LOG = System.getLogger(BaseMaker.class.getName());
    /** With two emulated processors on a busy host a boot was seen to end in a panic, and none of the next did. */
    private static final int BOOTS = 3;

    private final Cells cells;

    BaseMaker(Cells cells) {
        this.cells = cells;
    }

    static Layer imageLayer(Image image) {
        return new Layer(BaseFolder.imageLayerId(image.key()), image.disk(), Layer.Format.RAW);
    }

    /** Puts memory, state and disk into a folder that has none of them yet. */
    void make(
            Image image, MachineSize size, Host host, BaseFolder target, Consumer<String> progress, Deadline deadline) {
        for (int boots = 1; !made(image, size, host, target, boots == BOOTS, progress, deadline); boots++) {
            progress.accept("the kernel of " + image.name() + " crashed while it booted; booting it again");
        }
    }

    /** False if the guest's kernel has crashed and this was not the last try; then the folder is as it was. */
    private boolean made(
            Image image,
            MachineSize size,
            Host host,
            BaseFolder target,
            boolean last,
            Consumer<String> progress,
            Deadline deadline) {
        progress.accept("booting " + image.name() + " once to make a base of it");
        AtomicReference<TopLayer> top = new AtomicReference<>();
        String id = Ids.random();
        try (Cell cell = cells.start(
                id,
                folder -> {
                    top.set(folder.newTop(Ids.random(), size.diskBytes()));
                    allocate(target.memory(), size.memoryBytes(), folder.uid());
                    return plan(id, image, size, host, target, top.get());
                },
                deadline)) {
            cell.connect(deadline);
            try {
                settle(cell, image, deadline);
            } catch (BoxdException e) {
                if (last || !cell.console().showsPanic()) {
                    throw e;
                }
                LOG.log(System.Logger.Level.WARNING, "a kernel crashed while it booted: {0}", consoleOf(cell));
                forget(target);
                return false;
            }
            progress.accept("freezing " + image.name());
            byte[] state = freeze(cell, deadline);
            keep(target, state, top.get());
            return true;
        }
    }

    private static CellPlan plan(String id, Image image, MachineSize size, Host host, BaseFolder target, TopLayer top) {
        Layer imageLayer = imageLayer(image);
        QemuCommand command = new QemuCommand(
                size,
                host.accelerator(),
                host.bundle(),
                DiskNodes.top(
                        top,
                        DiskNodes.chain(
                                DiskNodes.nothing(), List.of(imageLayer), layer -> Jail.IMAGE + "/" + layer.id())));
        return new CellPlan(
                id,
                host.bundle(),
                host.accelerator(),
                target.memory(),
                true,
                Map.of(imageLayer.id(), image.disk(), "kernel", image.kernel(), "initrd", image.initrd()),
                command.coldBoot(host.kernelArguments(image), true),
                HuskMaker.limits(size, HuskMaker.WORKING_CPU_SHARE),
                Math.max(size.diskBytes(), size.memoryBytes()));
    }

    private static void settle(Cell cell, Image image, Deadline deadline) {
        try (AgentConnection agent = AgentConnection.open(cell.freshAgentChannel(), deadline)) {
            agent.grow(deadline);
            CommandOutput settled = agent.run(ExecRequest.argv(image.settleCommand()), deadline);
            if (!settled.status().equals(new ExitStatus.Exited(0))) {
                throw new BoxdException(
                        ErrorCode.INTERNAL,
                        "image " + image.name() + " did not settle: " + Printable.of(settled.stderrText()));
            }
        } catch (BoxdException e) {
            throw new BoxdException(
                    e.code(),
                    e.getMessage() + "; the console ends with: "
                            + cell.console().lastLine(),
                    e);
        }
    }

    private static byte[] freeze(Cell cell, Deadline deadline) {
        cell.qmp().execute("stop", deadline);
        cell.folder().clearSavedState();
        ObjectNode arguments = Json.object();
        arguments.put("filename", QemuCommand.SAVED_FILE);
        arguments.put("live", false);
        cell.qmp().execute("xen-save-devices-state", arguments, deadline);
        byte[] state = cell.folder().savedState();
        // A clean end closes the disk image; the memory file is shared and needs nothing.
        cell.qmp().execute("quit", deadline);
        if (!cell.process().awaitEnd(deadline)) {
            throw deadline.exceeded("ending the machine that a base is made of");
        }
        return state;
    }

    private static void keep(BaseFolder target, byte[] state, TopLayer top) {
        try {
            // From the host: zeroing free memory inside the guest would fill the file instead.
            SparseFile.digHoles(target.memory());
            FileOwner.give(target.memory(), 0, "r--r--r--");
            Files.write(target.state(), state);
            FileOwner.give(target.state(), 0, "r--------");
            Files.copy(top.file(), target.disk());
            FileOwner.give(target.disk(), 0, "r--r--r--");
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot write a base into " + target.memory(), e);
        }
    }

    private static String consoleOf(Cell cell) {
        return cell.console().tail().lines().map(Printable::of).collect(Collectors.joining("\n"));
    }

    private static void forget(BaseFolder target) {
        try {
            Files.delete(target.memory());
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot delete " + target.memory(), e);
        }
    }

    private static void allocate(Path memory, long bytes, int uid) {
        try {
            Bases.allocate(memory, bytes);
            FileOwner.give(memory, uid, "rw-------");
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot allocate " + memory, e);
        }
    }
}
