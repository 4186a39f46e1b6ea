package io.boxd.server;

import io.boxd.common.Deadline;
import io.boxd.control.Images;
import io.boxd.vmm.Accelerator;
import io.boxd.vmm.EngineConfig;
import io.boxd.vmm.ProbeResult;
import io.boxd.worker.BoxWitness;
import io.boxd.worker.Boxes;
import io.boxd.worker.HostBoxes;
import io.boxd.worker.WorkerConfig;
import java.util.Optional;

/** Rooms with real machines, emulated and without a network, so that a test touches nothing of its host's. */
final class MachineRooms implements Rooms {
    private final ServerConfig config;
    private final Programs programs = Programs.find();

    MachineRooms(ServerConfig config) {
        this.config = config;
    }

    @Override
    public ProbeResult accelerator(Deadline deadline) {
        return new ProbeResult(Accelerator.TCG, "works everywhere", false);
    }

    @Override
    public Boxes boxes(ProbeResult accelerator, BoxWitness witness, Deadline deadline) {
        WorkerConfig worker = WorkerConfig.of(engine(), programs.agent(), accelerator.accelerator(), config.size())
                .withDefaults(config.image(), config.size())
                .withWarm(0);
        return HostBoxes.open(worker, Optional.empty(), witness, deadline);
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
        // Nothing lies below the boxes.
    }
}
