package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.InstanceId;
import io.boxd.guest.RenewalStep;
import io.boxd.guest.image.Image;
import io.boxd.linux.ControlGroups;
import io.boxd.linux.FileOwner;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The machine room of one instance: makes bases, starts, boots and forks machines, keeps pools.
 *
 * <p>Thread-safe. Closing it ends all cells that wait in pools; machines are closed by their owners.
 */
public final class Engine implements AutoCloseable {
    /** Buffers kept populated between forks; larger ones are made when needed. */
    private static final long IDLE_BUFFER_BYTES = 320L << 20;

    private static final int LONGEST_SOCKET_PATH = 107;

    private final EngineConfig config;
    private final ControlGroups groups;
    private final UidBlock uids;
    private final PageBuffers buffers = new PageBuffers(IDLE_BUFFER_BYTES);
    private final MemoryCopier copier = new MemoryCopier();
    private final Quiet quiet = new Quiet();
    private final Host host;
    private final Cells cells;
    private final Bases bases;
    private final ImageBases imageBases;
    private final HuskPools pools;
    private final Starter starter;
    private final Captures captures;
    private final Forks forks;
    private final Booter booter;

    private Engine(
            EngineConfig config,
            ControlGroups groups,
            UidBlock uids,
            Host host,
            Uplinks uplinks,
            Set<RenewalStep> renewalSteps) {
        this.config = config;
        this.groups = groups;
        this.uids = uids;
        this.host = host;
        LayerStore layers = new LayerStore(config.layers());
        this.cells = new Cells(config, groups, uids, uplinks);
        Renewer renewer = new Renewer(renewalSteps);
        this.bases = new Bases(config.ownBases(), layers);
        this.imageBases = new ImageBases(config.imageBases(), new BaseMaker(cells));
        this.starter = new Starter(copier, layers, renewer);
        this.pools = new HuskPools(new HuskMaker(cells), starter, quiet);
        this.captures = new Captures(buffers, copier, layers);
        this.forks = new Forks(captures, pools, starter, bases);
        this.booter = new Booter(cells, bases, layers, renewer);
    }

    /** Opens the instance that lives in this home, with machines that have no network; needs root. */
    public static Engine open(EngineConfig config, Accelerator accelerator, Deadline deadline) {
        return open(config, accelerator, Uplinks.none(), deadline);
    }

    /** Opens the instance that lives in this home, each of its machines with an uplink; needs root. */
    public static Engine open(EngineConfig config, Accelerator accelerator, Uplinks uplinks, Deadline deadline) {
        return open(config, accelerator, uplinks, EnumSet.allOf(RenewalStep.class), deadline);
    }

    /** With fewer steps of renewal, which only a test that shows their worth may want. */
    static Engine open(
            EngineConfig config,
            Accelerator accelerator,
            Uplinks uplinks,
            Set<RenewalStep> renewalSteps,
            Deadline deadline) {
        requireShortPaths(config);
        FileOwner.folder(config.cells());
        UidBlock uids = UidBlock.take(config.registry(), config.home());
        try {
            ControlGroups groups = ControlGroups.open("boxd-" + instanceId(config.home()));
            QemuBundle bundle = new QemuBundles(config.bundles(), config.preload()).ofHost(deadline);
            Host host = HostFacts.of(accelerator, bundle, config.launcher(), deadline);
            return new Engine(config, groups, uids, host, uplinks, renewalSteps);
        } catch (RuntimeException e) {
            uids.close();
            throw e;
        }
    }

    /**
     * Finds out what machines can run with here, by running one; the answer is for {@link #open}.
     *
     * <p>Remembered until the host restarts or its kernel, processor or QEMU changes. Works in a
     * temporary home inside the given one, so it needs no engine and must not run beside one that probes
     * in the same home.
     *
     * @param tiny the smallest image there is
     */
    public static ProbeResult chooseAccelerator(EngineConfig config, Image tiny, Deadline deadline) {
        return new AcceleratorProbe(config).probe(tiny, deadline);
    }

    /** Six digits that tell this instance's things on the host from those of others. */
    static String instanceId(Path home) {
        return InstanceId.of(home);
    }

    private static void requireShortPaths(EngineConfig config) {
        Path longest = config.cells().resolve(Ids.random()).resolve("console.sock");
        if (longest.toString().getBytes(StandardCharsets.UTF_8).length > LONGEST_SOCKET_PATH) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the path of " + config.home() + " is too long for sockets in it",
                    "Choose a home with a shorter path.",
                    null);
        }
    }

    public Host host() {
        return host;
    }

    /** The base of an image in this size, made if it is not there yet. */
    public Base base(Image image, MachineSize size, Consumer<String> progress, Deadline deadline) {
        return imageBases.obtain(image, size, host, progress, deadline);
    }

    /** A new machine from a base; returns when a command can be run in it. */
    public Machine start(Base base, Identity identity, Deadline deadline) {
        try (Quiet.Busy busy = quiet.busy()) {
            assert busy != null;
            Machine warm = pools.takeWarm(base);
            return warm != null
                    ? starter.wake(warm, identity, deadline)
                    : starter.start(pools.takeHusk(base, deadline), identity, deadline);
        }
    }

    /** A new machine that boots from the image's disk. */
    public Machine boot(Image image, MachineSize size, Identity identity, Deadline deadline) {
        return booter.boot(image, size, host, identity, deadline);
    }

    /** Boots a machine that has ended again, from its own disk. */
    public Machine reboot(Machine ended, Identity identity, Deadline deadline) {
        return booter.reboot(ended, host, identity, deadline);
    }

    /** Copies of a machine, memory and processes included, one for each identity; it runs on. */
    public ForkResult fork(Machine source, List<Identity> identities, Deadline deadline) {
        try (Quiet.Busy busy = quiet.busy()) {
            assert busy != null;
            return forks.fork(source, identities, deadline);
        }
    }

    /** Freezes the present state of a machine as a base, from which any number of machines can start. */
    public Base promote(Machine source, Deadline deadline) {
        try (Quiet.Busy busy = quiet.busy()) {
            assert busy != null;
            return forks.promote(source, deadline);
        }
    }

    /** Deletes a promoted base; machines that run on it are not affected. */
    public void forget(Base promoted) {
        pools.drop(promoted);
        bases.forget(promoted);
    }

    /** Keeps cells of this base ready from now on. */
    public void keepPool(Base base, PoolSize size) {
        pools.keep(base, size);
    }

    public PoolLevel poolLevel(Base base) {
        return pools.level(base);
    }

    @Override
    public void close() {
        pools.close();
        bases.forgetAll();
        buffers.close();
        copier.close();
        groups.removeTree(Deadline.inSeconds(5));
        uids.close();
    }

    /** How fast the parts of this engine work by themselves. */
    public EngineFigures figures() {
        return new EngineFigures(pools, copier);
    }

    /** Ends what an earlier engine in this home, killed before it could close, has left. */
    void sweep(Deadline deadline) {
        cells.sweep(deadline);
    }

    EngineConfig config() {
        return config;
    }

    Captures captures() {
        return captures;
    }

    HuskPools pools() {
        return pools;
    }

    MemoryCopier copier() {
        return copier;
    }
}
