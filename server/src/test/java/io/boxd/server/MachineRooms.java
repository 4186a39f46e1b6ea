package io.boxd.server;

import io.boxd.common.Deadline;
import io.boxd.control.Images;
import io.boxd.ledger.Ledger;
import io.boxd.vmm.Accelerator;
import io.boxd.vmm.EngineConfig;
import io.boxd.vmm.ProbeResult;
import io.boxd.worker.BoxBook;
import io.boxd.worker.Boxes;
import io.boxd.worker.HostBoxes;
import io.boxd.worker.WorkerConfig;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rooms with real machines, emulated and without a network, so that a test touches nothing of its host's. */
final class MachineRooms implements Rooms {
    private final ServerConfig config;
    private final Programs programs = Programs.find();
    private @Nullable Ledger ledger;

    MachineRooms(ServerConfig config) {
        this.config = config;
    }

    @Override
    public ProbeResult accelerator(Deadline deadline) {
        return new ProbeResult(Accelerator.TCG, "works everywhere", false);
    }

    @Override
    public Boxes boxes(ProbeResult accelerator, Deadline deadline) {
        WorkerConfig worker = WorkerConfig.of(engine(), programs.agent(), accelerator.accelerator(), config.size())
                .withDefaults(config.image(), config.size())
                .withWarm(0);
        BoxBook book = new BoxBook();
        Ledger decisions = Ledger.open(WorkerConfig.ledger(config.home()), List.of(book), deadline);
        ledger = decisions;
        return HostBoxes.open(worker, decisions, book, Optional.empty(), deadline);
    }

    @Override
    public Images images() {
        return new HostImages(WorkerConfig.catalog(engine(), programs.agent()));
    }

    private EngineConfig engine() {
        return InstancePaths.engine(config, programs);
    }

    @Override
    public void close() {
        Ledger decisions = ledger;
        if (decisions != null) {
            decisions.close();
        }
    }
}
