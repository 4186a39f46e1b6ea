package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Machines that run no more and whose disks are kept: booted again, copied, thrown away. */
final class Rests {
    private static final int CONSOLE_BYTES = 16 << 10;

    private final Cells cells;
    private final Bases bases;
    private final LayerStore layers;
    private final Booter booter;
    private final MachineBook book;
    private final Host host;

    Rests(Cells cells, Bases bases, LayerStore layers, Booter booter, MachineBook book, Host host) {
        this.cells = cells;
        this.bases = bases;
        this.layers = layers;
        this.booter = booter;
        this.book = book;
        this.host = host;
    }

    /** Ends what is left of a machine's process and keeps its disk, in the record and in its folder. */
    Remains rest(Machine machine, String why) {
        layers.own(machine.layers());
        // Its disk has all layers of its own, so a base that was made from a machine is not needed any more.
        MachineRow row = MachineBook.row(machine).on(machine.base().root().id());
        book.changed(List.of(), new RecordChange.MachineChanged(row));
        layers.retain(layers.named(row.layers()));
        machine.rest();
        return new Remains(row, why, false);
    }

    /** Boots it from its disk, in this size; a disk only grows. */
    Machine reboot(Remains remains, MachineSize size, Identity identity, Deadline deadline) {
        Base base = bases.find(remains.machine().base());
        Remains present = size.diskBytes() > base.size().diskBytes() ? freeze(remains, size.diskBytes()) : remains;
        MachineRow row = present.machine();
        CellFolder folder = cells.remains(row);
        List<TopLayer> tops = tops(folder, identity);
        List<Layer> below = new ArrayList<>(layers.own(layers.resolve(row.layers(), base.root())));
        List<Layer> unlisted = freezeUnlisted(row, tops.subList(0, tops.size() - 1));
        below.addAll(unlisted);
        Machine again = booter.reboot(base, size, below, tops.getLast(), host, identity, deadline);
        book.started(List.of(again), List.of(), new RecordChange.MachineEnded(row.id()));
        layers.release(unlisted);
        discardFiles(row);
        return again;
    }

    /** Machines that boot from copies of its disk, one for each identity. */
    RestFork fork(Remains remains, List<Identity> identities, Deadline deadline) {
        Base base = bases.find(remains.machine().base());
        Remains present = freeze(remains, base.size().diskBytes());
        List<Layer> disk = layers.own(layers.resolve(present.machine().layers(), base.root()));
        List<Machine> machines =
                Forks.each(identities, identity -> booter.bootCopy(base, disk, host, identity, deadline));
        book.started(machines, List.of());
        return new RestFork(present, new ForkResult(machines, Duration.ZERO, 0));
    }

    /** What it has written becomes a layer that others may share; it goes on with an empty top of this size. */
    private Remains freeze(Remains remains, long diskBytes) {
        MachineRow row = remains.machine();
        CellFolder folder = cells.remains(row);
        List<TopLayer> written = tops(folder, row.identity());
        // First, so that whoever is interrupted here finds the written one below it.
        folder.newTop(Ids.random(), diskBytes);
        List<String> ids = new ArrayList<>(row.layers());
        for (TopLayer top : written) {
            if (!ids.contains(top.id())) {
                ids.add(layers.freeze(top).id());
            }
        }
        MachineRow changed = row.with(ids);
        book.changed(List.of(), new RecordChange.MachineChanged(changed));
        written.forEach(top -> FileOwner.deleteTree(top.file()));
        return new Remains(changed, remains.why(), remains.standby());
    }

    /** What was frozen and not yet written down when the machine ended. */
    private List<Layer> freezeUnlisted(MachineRow row, List<TopLayer> frozen) {
        return frozen.stream()
                .filter(top -> !row.layers().contains(top.id()))
                .map(layers::freeze)
                .toList();
    }

    private static List<TopLayer> tops(CellFolder folder, Identity identity) {
        List<TopLayer> tops = folder.tops();
        if (tops.isEmpty()) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE, "the disk of " + identity.hostname() + " is not there any more");
        }
        return tops;
    }

    /** Throws it away. */
    void discard(Remains remains) {
        book.ending(remains.machine().id());
        discardFiles(remains.machine());
    }

    private void discardFiles(MachineRow row) {
        layers.release(layers.named(row.layers()));
        cells.removeRemains(cells.remains(row));
    }

    /** The end of what it wrote to its console; hostile text. */
    String consoleTail(Remains remains) {
        Path log = cells.remains(remains.machine()).consoleLog();
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            byte[] tail = new byte[(int) Math.min(CONSOLE_BYTES, file.length())];
            file.seek(file.length() - tail.length);
            file.readFully(tail);
            return new String(tail, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
