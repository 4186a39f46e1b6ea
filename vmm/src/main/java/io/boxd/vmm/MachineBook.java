package io.boxd.vmm;

import io.boxd.linux.HostProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the record of the machines that were handed out, and counts who uses which base.
 *
 * <p>Machines that only wait in a pool are in nobody's hands and in no record.
 */
final class MachineBook {
    private final EngineRecord record;
    private final Bases bases;
    private final Set<String> listed = ConcurrentHashMap.newKeySet();

    MachineBook(EngineRecord record, Bases bases) {
        this.record = record;
        this.bases = bases;
    }

    /** Writes down machines that are about to be handed out; if that fails they are closed. */
    void started(List<Machine> machines, List<Machine> changed, RecordChange... more) {
        try {
            write(machines, changed, more);
        } catch (RuntimeException e) {
            machines.forEach(Machine::close);
            throw e;
        }
        machines.forEach(machine -> listed.add(machine.id()));
    }

    /** Writes down that the disks of these machines have other layers, and what else changes with that. */
    void changed(List<Machine> changed, RecordChange... more) {
        write(List.of(), changed, more);
    }

    private void write(List<Machine> started, List<Machine> changed, RecordChange... more) {
        List<RecordChange> changes = new ArrayList<>(List.of(more));
        started.forEach(machine -> changes.add(new RecordChange.MachineStarted(row(machine))));
        List<Machine> known = changed.stream()
                .filter(machine -> listed.contains(machine.id()))
                .toList();
        List<MachineRow> rows = known.stream().map(MachineBook::row).toList();
        rows.forEach(row -> changes.add(new RecordChange.MachineChanged(row)));
        if (!changes.isEmpty()) {
            record.apply(changes);
        }
        for (int i = 0; i < known.size(); i++) {
            known.get(i).recorded(rows.get(i).layers());
        }
    }

    /** A machine that an earlier server wrote down. */
    void adopted(String id) {
        listed.add(id);
    }

    /** Before anything of a machine is removed. */
    void ending(String id) {
        if (listed.remove(id)) {
            record.apply(List.of(new RecordChange.MachineEnded(id)));
        }
    }

    /** The machine's end was part of another change. */
    void ended(String id) {
        listed.remove(id);
    }

    void use(Base base) {
        bases.retain(base);
    }

    void release(Base base) {
        bases.release(base);
    }

    static MachineRow row(Machine machine) {
        HostProcess process = machine.cell().process();
        return new MachineRow(
                machine.id(),
                machine.identity(),
                machine.base().id(),
                process.pid(),
                process.startTicks(),
                machine.cell().folder().uid(),
                machine.uplink().map(Uplink::id).orElse(""),
                machine.layers().stream().map(Layer::id).toList());
    }
}
