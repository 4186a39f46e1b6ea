package io.boxd.server;

import io.boxd.accounts.AccountRecord;
import io.boxd.common.Deadline;
import io.boxd.control.Images;
import io.boxd.control.RequestRecord;
import io.boxd.guest.image.Image;
import io.boxd.network.Wires;
import io.boxd.vmm.Engine;
import io.boxd.vmm.EngineConfig;
import io.boxd.vmm.ProbeResult;
import io.boxd.worker.Admission;
import io.boxd.worker.BoxWitness;
import io.boxd.worker.Boxes;
import io.boxd.worker.HostBoxes;
import io.boxd.worker.WorkerConfig;
import java.util.Objects;
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
    private @Nullable Decisions decisions;

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
    public AccountRecord accounts(Deadline deadline) {
        Decisions open = Decisions.open(config.home(), deadline);
        decisions = open;
        return open.accounts();
    }

    @Override
    public RequestRecord requests() {
        return Objects.requireNonNull(decisions).requests();
    }

    /** Whoever was given the token when this instance was made; otherwise whoever has started this process. */
    @Override
    public HostUser founder() {
        return new InstanceFiles(config.home())
                .owner()
                .flatMap(uid -> HostUser.find(Integer.toString(uid)))
                .orElseGet(() -> HostUser.behind(System.getenv()));
    }

    @Override
    public Boxes boxes(ProbeResult accelerator, Admission admission, BoxWitness witness, Deadline deadline) {
        Wires open = Wires.open(InstancePaths.wires(config), deadline);
        wires = open;
        WorkerConfig worker = WorkerConfig.of(engine, programs.agent(), accelerator.accelerator(), config.size())
                .withDefaults(config.image(), config.size());
        Decisions decided = Objects.requireNonNull(decisions);
        HostBoxes boxes = HostBoxes.open(
                worker, decided.ledger(), decided.boxes(), Optional.of(open), admission, witness, deadline);
        // Those that were made before there were accounts.
        boxes.adopt(decided.accounts().rows().administrators().getFirst().id());
        return boxes;
    }

    @Override
    public Images images() {
        return images;
    }

    @Override
    public void close() {
        Decisions decided = decisions;
        if (decided != null) {
            decided.close();
        }
        Wires open = wires;
        if (open != null) {
            open.close();
        }
    }
}
