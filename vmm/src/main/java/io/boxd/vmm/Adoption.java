package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.HostProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import tools.jackson.databind.JsonNode;

/** Finds the machines that an earlier server left running, and goes on with them. */
final class Adoption {
    private final Cells cells;
    private final Bases bases;
    private final LayerStore layers;
    private final Renewer renewer;
    private final MachineBook book;

    Adoption(Cells cells, Bases bases, LayerStore layers, Renewer renewer, MachineBook book) {
        this.cells = cells;
        this.bases = bases;
        this.layers = layers;
        this.renewer = renewer;
        this.book = book;
    }

    private sealed interface Outcome {
        record Running(Machine machine) implements Outcome {}

        record Gone(Remains remains) implements Outcome {}
    }

    Found find(List<MachineRow> rows, Deadline deadline) {
        List<Machine> machines = new ArrayList<>();
        List<Remains> remains = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Outcome>> outcomes = rows.stream()
                    .map(row -> threads.submit(() -> find(row, deadline)))
                    .toList();
            for (Future<Outcome> outcome : outcomes) {
                switch (outcome.get()) {
                    case Outcome.Running(Machine machine) -> machines.add(machine);
                    case Outcome.Gone(Remains gone) -> remains.add(gone);
                }
            }
        } catch (ExecutionException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot look for running machines", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "looking for running machines was interrupted", e);
        }
        // Of those that run no more the disk is still wanted.
        remains.forEach(gone -> hold(gone.machine()));
        return new Found(machines, remains);
    }

    private Outcome find(MachineRow row, Deadline deadline) {
        book.adopted(row.id());
        try {
            Base base = bases.find(row.base());
            Optional<Cell> cell = cells.adopt(row, plan(row, base));
            return cell.isEmpty()
                    ? new Outcome.Gone(gone(row, "its process has ended"))
                    : new Outcome.Running(takeOver(row, base, cell.get(), deadline));
        } catch (BoxdException e) {
            // One that cannot be talked to cannot be used, and must not write its disk when it is booted again.
            new HostProcess(row.pid(), row.startTicks()).kill();
            return new Outcome.Gone(gone(row, String.valueOf(e.getMessage())));
        }
    }

    private void hold(MachineRow row) {
        Base base = bases.findIfThere(row.base());
        if (base != null) {
            layers.own(layers.resolve(row.layers(), base.root()));
        }
        layers.retain(layers.named(row.layers()));
    }

    private Remains gone(MachineRow row, String why) {
        return new Remains(row, why, cells.remains(row).isMarkedStandby());
    }

    private static CellPlan plan(MachineRow row, Base base) {
        return new CellPlan(
                row.id(),
                base.bundle(),
                base.accelerator(),
                base.memory(),
                false,
                Map.of(),
                List.of(),
                HuskMaker.limits(base.size(), HuskMaker.WORKING_CPU_SHARE),
                base.size().diskBytes());
    }

    private Machine takeOver(MachineRow row, Base base, Cell cell, Deadline deadline) {
        cell.connect(deadline);
        MachineDisk disk = MachineDisk.adopted(
                cell, layers, base.size().diskBytes(), layers.resolve(row.layers(), base.root()), deadline);
        JsonNode status = cell.qmp().execute("query-status", deadline);
        boolean running = status.path("running").asBoolean();
        boolean standby = cell.folder().isMarkedStandby();
        if (status.path("status").asString("").equals("io-error")) {
            cell.noteStalled();
        } else if (!running && !standby) {
            // The server ended while it copied the machine: nobody else would let it go on.
            cell.qmp().execute("cont", deadline);
        }
        if (running && standby) {
            cell.folder().markStandby(false);
        }
        return new Machine(cell, base, disk, row.identity(), null, !running && standby, renewer, book);
    }
}
