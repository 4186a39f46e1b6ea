package io.boxd.server;

import io.boxd.accounts.AccountRecord;
import io.boxd.common.Deadline;
import io.boxd.control.Images;
import io.boxd.control.RequestRecord;
import io.boxd.vmm.Accelerator;
import io.boxd.vmm.EngineConfig;
import io.boxd.vmm.ProbeResult;
import io.boxd.worker.Admission;
import io.boxd.worker.BoxWitness;
import io.boxd.worker.Boxes;
import io.boxd.worker.HostBoxes;
import io.boxd.worker.WorkerConfig;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rooms with real machines, emulated and without a network, so that a test touches nothing of its host's. */
final class MachineRooms implements Rooms {
    private final ServerConfig config;
    private final Programs programs = Programs.find();
    private @Nullable Decisions decisions;

    MachineRooms(ServerConfig config) {
        this.config = config;
    }

    @Override
    public ProbeResult accelerator(Deadline deadline) {
        return new ProbeResult(Accelerator.TCG, "works everywhere", false);
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

    @Override
    public HostUser founder() {
        return somebody();
    }

    /** Whoever runs the test, without a home in which a key could be made. */
    static HostUser somebody() {
        return new HostUser(System.getProperty("user.name", "root"), 0, Path.of("/proc/nobody"));
    }

    @Override
    public Boxes boxes(ProbeResult accelerator, Admission admission, BoxWitness witness, Deadline deadline) {
        WorkerConfig worker = WorkerConfig.of(engine(), programs.agent(), accelerator.accelerator(), config.size())
                .withDefaults(config.image(), config.size())
                .withWarm(0);
        Decisions decided = Objects.requireNonNull(decisions);
        return HostBoxes.open(
                worker, decided.ledger(), decided.boxes(), Optional.empty(), admission, witness, deadline);
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
        Decisions decided = decisions;
        if (decided != null) {
            decided.close();
        }
    }
}
