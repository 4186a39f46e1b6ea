package io.boxd.worker;

import io.boxd.guest.image.ImageCatalog;
import io.boxd.ledger.LedgerConfig;
import io.boxd.trust.Authority;
import io.boxd.vmm.Accelerator;
import io.boxd.vmm.EngineConfig;
import io.boxd.vmm.MachineSize;
import java.nio.file.Path;
import java.util.List;

/**
 * How the boxes of a host are to be.
 *
 * @param engine where everything is kept
 * @param agent the program that images run as their agent
 * @param accelerator what machines run with
 * @param image that a box has unless told otherwise
 * @param size that a box has unless told otherwise
 * @param memoryReserveBytes of the host that boxes must leave alone
 * @param quietCpuPercent of a processor that a box may use and still be idle
 * @param warm how many machines of the default image and size wait to be handed out; 0 also keeps no cells ready
 */
public record WorkerConfig(
        EngineConfig engine,
        Path agent,
        Accelerator accelerator,
        String image,
        MachineSize size,
        Limits limits,
        long memoryReserveBytes,
        double quietCpuPercent,
        int warm) {
    /** An idle emulated guest under systemd was seen to use 0.4 to 1.2 percent, and 6.6 just after its start. */
    public static final double QUIET_CPU_PERCENT = 8;

    private static final long RESERVE_BYTES = 1L << 30;

    /** With the usual limits. */
    public static WorkerConfig of(EngineConfig engine, Path agent, Accelerator accelerator, MachineSize size) {
        return new WorkerConfig(
                engine, agent, accelerator, "base", size, Limits.standard(), RESERVE_BYTES, QUIET_CPU_PERCENT, 1);
    }

    /** The images that boxes of this instance can have. */
    public static ImageCatalog catalog(EngineConfig engine, Path agent) {
        return new ImageCatalog(engine.cache(), agent, engine.home().resolve("recipes"));
    }

    Path record() {
        return engine.home().resolve("record.db");
    }

    Path meters() {
        return engine.home().resolve("meters.db");
    }

    /** The ledger of the instance that lives in this home. */
    public static LedgerConfig ledger(Path home) {
        Authority inside = Authority.open(home.resolve("trust/inside"), "boxd inside", List.of());
        return LedgerConfig.local(home.resolve("state"), inside);
    }

    /** With another image and size for boxes that are told none. */
    public WorkerConfig withDefaults(String otherImage, MachineSize otherSize) {
        return new WorkerConfig(
                engine, agent, accelerator, otherImage, otherSize, limits, memoryReserveBytes, quietCpuPercent, warm);
    }

    WorkerConfig withMemoryReserveBytes(long bytes) {
        return new WorkerConfig(engine, agent, accelerator, image, size, limits, bytes, quietCpuPercent, warm);
    }

    /** With so many machines that wait to be handed out. */
    public WorkerConfig withWarm(int machines) {
        return new WorkerConfig(
                engine, agent, accelerator, image, size, limits, memoryReserveBytes, quietCpuPercent, machines);
    }

    WorkerConfig withLimits(Limits other) {
        return new WorkerConfig(
                engine, agent, accelerator, image, size, other, memoryReserveBytes, quietCpuPercent, warm);
    }
}
