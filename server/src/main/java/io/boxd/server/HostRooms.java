package io.boxd.server;

import io.boxd.common.Deadline;
import io.boxd.control.Images;
import io.boxd.guest.image.Image;
import io.boxd.ledger.Ledger;
import io.boxd.network.Wires;
import io.boxd.vmm.Engine;
import io.boxd.vmm.EngineConfig;
import io.boxd.vmm.ProbeResult;
import io.boxd.worker.BoxBook;
import io.boxd.worker.Boxes;
import io.boxd.worker.HostBoxes;
import io.boxd.worker.WorkerConfig;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rooms of a real host: machines on wires. */
final class HostRooms implements Rooms {
    private static final Logger LOG = LoggerFactory.getLogger(HostRooms.class);
    private static final String TINY = "tiny";

    private final ServerConfig config;
    private final Programs programs;
    private final EngineConfig engine;
    private final HostImages images;
    private @Nullable Wires wires;
    private @Nullable Ledger ledger;

    HostRooms(ServerConfig config, Programs programs) {
        this.config = config;
        this.programs = programs;
        this.engine = InstancePaths.engine(config, programs);
        this.images = new HostImages(WorkerConfig.catalog(engine, programs.agent()));
    }

    @Override
    public ProbeResult accelerator(Deadline deadline) {
        Image tiny = images.catalog().obtain(TINY, stage -> LOG.info("image {}: {}", TINY, stage), deadline);
        return Engine.chooseAccelerator(engine, tiny, deadline);
    }

    @Override
    public Boxes boxes(ProbeResult accelerator, Deadline deadline) {
        Wires open = Wires.open(InstancePaths.wires(config), deadline);
        wires = open;
        WorkerConfig worker = WorkerConfig.of(engine, programs.agent(), accelerator.accelerator(), config.size())
                .withDefaults(config.image(), config.size());
        BoxBook book = new BoxBook();
        Ledger decisions = Ledger.open(WorkerConfig.ledger(config.home()), List.of(book), deadline);
        ledger = decisions;
        return HostBoxes.open(worker, decisions, book, Optional.of(open), deadline);
    }

    @Override
    public Images images() {
        return images;
    }

    @Override
    public void close() {
        Ledger decisions = ledger;
        if (decisions != null) {
            decisions.close();
        }
        Wires open = wires;
        if (open != null) {
            open.close();
        }
    }
}
