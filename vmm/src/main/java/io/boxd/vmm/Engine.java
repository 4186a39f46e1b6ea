package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.InstanceId;
import io.boxd.guest.image.Image;
import io.boxd.linux.ControlGroups;
import io.boxd.linux.FileOwner;
import io.boxd.linux.Seal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The machine room of one instance: makes bases, starts, boots and forks machines, keeps pools.
 *
 * <p>Thread-safe. Closing it ends all cells that wait in pools; machines are closed by their owners, or
 * detached and found again by the next engine in the same home.
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
    private final LayerStore layers;
    private final QemuBundles bundles;
    private final Bases bases;
    private final ImageBases imageBases;
    private final MachineBook book;
    private final HuskPools pools;
    private final Starter starter;
    private final Captures captures;
    private final Forks forks;
    private final Booter booter;
    private final Checks checks;
    private final SnapshotStore snapshotStore;
    private final FullMemories fulls;
    private final Snapshots snapshots;
    private final Adoption adoption;
    private final Rests rests;
    /** Bases that were looked at before they are needed. */
    private final Set<String> ahead = ConcurrentHashMap.newKeySet();

    private Found found = new Found(List.of(), List.of());

    private Engine(
            EngineConfig config,
            EngineRecord record,
            ControlGroups groups,
            UidBlock uids,
            QemuBundles bundles,
            Host host,
            Uplinks uplinks,
            Safeguards safeguards) {
        this.config = config;
        this.groups = groups;
        this.uids = uids;
        this.bundles = bundles;
        this.host = host;
        Seal seal = Seal.open(config.key());
        this.checks = Checks.open(config.checked(), seal, safeguards.checksContent());
        this.layers = new LayerStore(config.layers(), checks);
        this.cells = new Cells(config, groups, uids, uplinks, new BundleChecks(checks)::require);
        Renewer renewer = new Renewer(safeguards.renewalSteps());
        this.bases = new Bases(config.ownBases(), bundles, layers);
        this.imageBases = new ImageBases(config.imageBases(), new BaseMaker(cells));
        this.book = new MachineBook(record, bases);
        this.starter = new Starter(copier, layers, renewer, book);
        this.pools = new HuskPools(new HuskMaker(cells), starter, quiet);
        Flattener flattener = new Flattener(quiet, book, Flattener.LONGEST_CHAIN);
        this.captures = new Captures(buffers, copier, layers);
        this.forks = new Forks(captures, pools, starter, bases, book, flattener);
        this.booter = new Booter(cells, bases, layers, renewer, book);
        this.fulls = new FullMemories(bases, checks, this::openSnapshot, quiet);
        this.snapshotStore = new SnapshotStore(
                config.snapshots(),
                seal,
                checks,
                bases,
                layers,
                new Room(config.home(), fulls::evict, safeguards.keepsRoom()),
                host);
        this.snapshots = new Snapshots(captures, snapshotStore, fulls, pools, starter, book, flattener);
        this.adoption = new Adoption(cells, bases, layers, renewer, book);
        this.rests = new Rests(cells, bases, layers, booter, book, host);
    }

    private SavedInstant openSnapshot(SnapshotRow row) {
        return snapshotStore.open(row);
    }

    /**
     * Opens the instance that lives in this home, with machines that have no network; needs root.
     *
     * <p>Machines of an earlier server that still run are gone on with, {@link #found}; what belongs to
     * no machine or snapshot of the record is removed.
     */
    public static Engine open(EngineConfig config, EngineRecord record, Accelerator accelerator, Deadline deadline) {
        return open(config, record, Uplinks.none(), accelerator, deadline);
    }

    /** The same, each of its machines with an uplink. */
    public static Engine open(
            EngineConfig config, EngineRecord record, Uplinks uplinks, Accelerator accelerator, Deadline deadline) {
        return open(config, record, uplinks, accelerator, Safeguards.all(), deadline);
    }

    /** With some protection left out, which only a test that shows its worth may want. */
    static Engine open(
            EngineConfig config,
            EngineRecord record,
            Uplinks uplinks,
            Accelerator accelerator,
            Safeguards safeguards,
            Deadline deadline) {
        requireShortPaths(config);
        FileOwner.folder(config.cells());
        UidBlock uids = UidBlock.take(config.registry(), config.home());
        try {
            ControlGroups groups = groups(config);
            QemuBundles bundles = new QemuBundles(config.bundles(), config.ownBundles(), config.preload());
            Host host = HostFacts.of(accelerator, bundles.ofHost(deadline), config.launcher(), deadline);
            Engine engine = new Engine(config, record, groups, uids, bundles, host, uplinks, safeguards);
            engine.recover(record.rows(), deadline);
            return engine;
        } catch (RuntimeException e) {
            uids.close();
            throw e;
        }
    }

    private static ControlGroups groups(EngineConfig config) {
        return ControlGroups.open("boxd-" + instanceId(config.home()));
    }

    /**
     * Processor time of each machine that an earlier server has left, by id, also of those that have ended since.
     *
     * <p>To be asked before the engine is opened, which clears the latter away.
     */
    public static Map<String, Duration> cpuTimesLeft(EngineConfig config) {
        ControlGroups groups = groups(config);
        Map<String, Duration> times = new HashMap<>();
        for (String name : groups.names()) {
            Cells.idOf(name).ifPresent(id -> groups.cpuTime(groups.find(name)).ifPresent(time -> times.put(id, time)));
        }
        return times;
    }

    /** First everybody says what they need, then the rest goes. */
    private void recover(EngineRecord.Rows rows, Deadline deadline) {
        found = adoption.find(rows.machines(), deadline);
        snapshots.adopt(rows.snapshots());
        Set<String> cellsInUse = rows.machines().stream().map(MachineRow::id).collect(Collectors.toSet());
        cells.sweep(cellsInUse, deadline);
        snapshotStore.sweep(rows.snapshots().stream().map(SnapshotRow::id).collect(Collectors.toSet()));
        Set<String> basesInUse = new HashSet<>();
        rows.machines().forEach(row -> basesInUse.add(row.base()));
        rows.snapshots().forEach(row -> basesInUse.add(row.base()));
        Set<String> fullsInUse = rows.snapshots().stream()
                .map(row -> FullMemories.PREFIX + row.id())
                .collect(Collectors.toSet());
        bases.sweep(basesInUse, fullsInUse::contains);
        rows.snapshots().forEach(fulls::adopt);
        layers.sweep();
        rows.snapshots().stream()
                .map(SnapshotRow::base)
                .distinct()
                .filter(ahead::add)
                .forEach(this::checkAhead);
        bases.bundleKeys().ifPresent(keys -> {
            keys.add(host.bundle().key());
            bundles.sweep(keys);
        });
    }

    /** A base that is not there is met, and told, by whoever needs it. */
    private void checkAhead(String id) {
        Base base = bases.findIfThere(id);
        if (base != null) {
            snapshotStore.checkAhead(base);
        }
    }

    /** The machines of an earlier server, as they were found when this one was opened. */
    public Found found() {
        return found;
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
        Base base = bases.hold(imageBases.obtain(image, size, host, progress, deadline));
        if (ahead.add(base.id())) {
            snapshotStore.checkAhead(base);
        }
        return base;
    }

    /** A new machine from a base; returns when a command can be run in it. */
    public Machine start(Base base, Identity identity, Deadline deadline) {
        try (Quiet.Busy busy = quiet.busy()) {
            assert busy != null;
            Machine warm = pools.takeWarm(base);
            Machine machine = warm != null
                    ? starter.wake(warm, identity, deadline)
                    : starter.start(pools.takeHusk(base, deadline), identity, deadline);
            book.started(List.of(machine), List.of());
            return machine;
        }
    }

    /** A new machine that boots from the image's disk. */
    public Machine boot(Image image, MachineSize size, Identity identity, Deadline deadline) {
        Machine machine = booter.boot(image, size, host, identity, deadline);
        book.started(List.of(machine), List.of());
        return machine;
    }

    /** Boots a machine that has ended again, from its own disk. */
    public Machine reboot(Machine ended, Identity identity, Deadline deadline) {
        if (ended.state() != Machine.State.ENDED) {
            throw new BoxdException(ErrorCode.WRONG_STATE, "only a machine that has ended can be booted again");
        }
        Machine again = booter.reboot(
                ended.base(),
                ended.size(),
                layers.own(ended.disk().layers()),
                ended.disk().top(),
                host,
                identity,
                deadline);
        book.started(List.of(again), List.of(), new RecordChange.MachineEnded(ended.id()));
        ended.closeUnlisted();
        return again;
    }

    /** Keeps only the disk of a machine, which is ended if it runs; everything else of it goes. */
    public Remains rest(Machine machine, String why) {
        return rests.rest(machine, why);
    }

    /** Boots a machine of which only the disk is left. */
    public Machine reboot(Remains remains, Identity identity, Deadline deadline) {
        return reboot(remains, bases.find(remains.machine().base()).size(), identity, deadline);
    }

    /** The same in another size; a disk only grows. */
    public Machine reboot(Remains remains, MachineSize size, Identity identity, Deadline deadline) {
        return rests.reboot(remains, size, identity, deadline);
    }

    /** Machines that boot from copies of a disk, one for each identity. */
    public RestFork fork(Remains remains, List<Identity> identities, Deadline deadline) {
        return rests.fork(remains, identities, deadline);
    }

    /** The last kilobytes that it wrote to its console; hostile text. */
    public String consoleTail(Remains remains) {
        return rests.consoleTail(remains);
    }

    /** Removes what is left of a machine. */
    public void discard(Remains remains) {
        rests.discard(remains);
    }

    /** Keeps the present instant of a machine on disk; it runs on. Durable when this returns. */
    public SnapshotResult snapshot(Machine source, Deadline deadline) {
        try (Quiet.Busy busy = quiet.busy()) {
            assert busy != null;
            return snapshots.take(source, deadline);
        }
    }

    /** Keeps the present instant of a machine on disk and ends its process. */
    public SnapshotResult hibernate(Machine source, Deadline deadline) {
        return snapshots.hibernate(source, deadline);
    }

    /**
     * A machine from a snapshot, memory and processes included.
     *
     * @param identity of its own, or the {@link Identity#next next} of the one that the snapshot has, for
     *     which no other may run
     */
    public Machine start(Snapshot snapshot, Identity identity, Deadline deadline) {
        try (Quiet.Busy busy = quiet.busy()) {
            assert busy != null;
            return snapshots.start(snapshot, identity, deadline);
        }
    }

    /** Puts a machine back to a snapshot of its own; returns it, with its generation raised. */
    public Machine rollback(Machine present, Snapshot snapshot, Deadline deadline) {
        try (Quiet.Busy busy = quiet.busy()) {
            assert busy != null;
            return snapshots.rollback(present, snapshot, deadline);
        }
    }

    /** A machine becomes what a snapshot of another one holds, and stays who it is. */
    public Machine replace(Machine present, Snapshot snapshot, Identity identity, Deadline deadline) {
        try (Quiet.Busy busy = quiet.busy()) {
            assert busy != null;
            return snapshots.replace(present, snapshot, identity, deadline);
        }
    }

    public List<Snapshot> snapshots() {
        return snapshots.list();
    }

    /** The snapshot of this id, if there is one. */
    public Optional<Snapshot> findSnapshot(String id) {
        return snapshots.find(id);
    }

    /** Whether all that makes starting from a snapshot faster has been done in the background. */
    public boolean settled(Snapshot snapshot) {
        return fulls.isSettled(snapshot.id());
    }

    /** Deletes a snapshot; machines that were started from it are not affected. */
    public void forget(Snapshot snapshot) {
        snapshots.forget(snapshot);
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
        fulls.close();
        pools.close();
        bases.forgetAll();
        checks.close();
        buffers.close();
        copier.close();
        if (groups.names().isEmpty()) {
            groups.removeTree(Deadline.inSeconds(5));
        }
        uids.close();
    }

    /** How fast the parts of this engine work by themselves. */
    public EngineFigures figures() {
        return new EngineFigures(pools, copier);
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
