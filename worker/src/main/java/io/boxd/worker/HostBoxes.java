package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.Renewal;
import io.boxd.guest.RenewalStep;
import io.boxd.ledger.Ledger;
import io.boxd.meter.MeterBook;
import io.boxd.meter.Used;
import io.boxd.network.Traffic;
import io.boxd.network.Wires;
import io.boxd.vmm.Engine;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.MachineSize;
import io.boxd.vmm.Remains;
import io.boxd.vmm.Uplinks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** The boxes of this host, with everything that they are made of. */
public final class HostBoxes implements Boxes {
    private static final Duration LETTING_GO = Duration.ofSeconds(10);
    private static final Duration EXPIRING = Duration.ofMinutes(2);
    private static final String EXPIRED = "its time to live was over";
    private static final Duration RENAMING = Duration.ofSeconds(5);
    private static final Duration COUNTING = Duration.ofSeconds(10);

    private final Runnable below;
    private final Workshop shop;
    private final Roster roster;
    private final Lives lives;
    private final Views views;
    private final Maker maker;
    private final Forker forker;
    private final Destroyer destroyer;
    private final Timeline timeline;
    private final Returns returns;
    private final Sleep sleep;
    private final Checkpoints checkpoints;
    private final Pools pools;
    private final Meters meters;

    private HostBoxes(Runnable below, Workshop shop, HostView host, Gauges gauges, Admission admission) {
        this.below = below;
        this.shop = shop;
        this.roster = new Roster(shop.record());
        Instants instants = new Instants(shop.engine(), shop.record(), roster::sleepsIn);
        Capacity capacity = new Capacity(shop, roster, host.availableBytes(), this::isQuiet);
        Admissions admissions = new Admissions(admission, roster);
        this.lives = new Lives(shop, instants, capacity, admissions, this::arrived);
        roster.led(lives);
        this.views = new Views(shop, roster);
        this.pools = new Pools(shop, capacity);
        this.maker = new Maker(shop, roster, lives, capacity, admissions, instants, pools);
        this.forker = new Forker(shop, lives, capacity, instants, maker);
        this.destroyer = new Destroyer(shop, roster, lives, instants);
        this.timeline = new Timeline(shop, instants);
        this.returns = new Returns(shop, roster, lives, instants, timeline, destroyer);
        this.sleep = new Sleep(shop, lives);
        this.checkpoints = new Checkpoints(shop, lives, timeline);
        this.meters = new Meters(shop, roster, gauges.book(), gauges.traffic(), gauges.left());
    }

    /**
     * Opens the boxes of the instance that lives in the engine's home; needs root.
     *
     * <p>Boxes of an earlier server go on without noticing.
     *
     * @param ledger of the same instance, with this book; closed by the caller after this
     * @param wires of the same instance, closed by the caller after this; none: boxes have no network
     * @param admission says which boxes may be awake
     * @param witness hears of everything that happens to boxes from now on
     */
    public static HostBoxes open(
            WorkerConfig config,
            Ledger ledger,
            BoxBook book,
            Optional<Wires> wires,
            Admission admission,
            BoxWitness witness,
            Deadline deadline) {
        BoxRecord record = new LedgerBoxRecord(ledger, book);
        return open(config, record, () -> {}, wires, HostView.real(), admission, witness, deadline);
    }

    /** With a ledger of nothing but boxes, on a host that may only look like another. */
    static HostBoxes open(
            WorkerConfig config, Optional<Wires> wires, HostView host, BoxWitness witness, Deadline deadline) {
        BoxBook book = new BoxBook();
        Ledger ledger = Ledger.open(WorkerConfig.ledger(config.engine().home()), List.of(book), deadline);
        try {
            BoxRecord record = new LedgerBoxRecord(ledger, book);
            return open(config, record, ledger::close, wires, host, Admission.unlimited(), witness, deadline);
        } catch (RuntimeException e) {
            ledger.close();
            throw e;
        }
    }

    private static HostBoxes open(
            WorkerConfig config,
            BoxRecord record,
            Runnable below,
            Optional<Wires> wires,
            HostView host,
            Admission admission,
            BoxWitness witness,
            Deadline deadline) {
        SqliteRecord file = SqliteRecord.open(config.record());
        MeterBook meters = openMeters(config, file);
        try {
            file.handOverBoxes(record);
            Optional<MachineWires> machineWires = wires.map(MachineWires::new);
            Uplinks uplinks = machineWires.<Uplinks>map(own -> own).orElseGet(Uplinks::none);
            Map<String, Duration> left = Engine.cpuTimesLeft(config.engine());
            Engine engine = Engine.open(config.engine(), file, uplinks, config.accelerator(), deadline);
            Images images = new Images(WorkerConfig.catalog(config.engine(), config.agent()), engine);
            Workshop shop = new Workshop(
                    config,
                    engine,
                    new WitnessedRecord(record, witness),
                    images,
                    new Ways(wires),
                    new Agenda(),
                    witness,
                    new AtomicBoolean());
            Gauges gauges = new Gauges(meters, machine -> traffic(shop.ways(), machineWires, machine), left);
            HostBoxes boxes = new HostBoxes(
                    () -> {
                        file.close();
                        below.run();
                    },
                    shop,
                    host,
                    gauges,
                    admission);
            boxes.begin(host, deadline);
            return boxes;
        } catch (RuntimeException e) {
            meters.close();
            file.close();
            throw e;
        }
    }

    private static MeterBook openMeters(WorkerConfig config, SqliteRecord file) {
        try {
            return MeterBook.open(config.meters());
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** What meters are made of. */
    private record Gauges(MeterBook book, Function<Machine, Optional<Traffic>> traffic, Map<String, Duration> left) {}

    /** Of a wire that is there, or of one that went with its machine. */
    private static Optional<Traffic> traffic(Ways ways, Optional<MachineWires> wires, Machine machine) {
        try {
            return ways.traffic(machine)
                    .or(() -> wires.flatMap(all -> machine.uplink().flatMap(uplink -> all.passed(uplink.id()))));
        } catch (BoxdException e) {
            // It goes just now; then it is remembered, and read the next time.
            return wires.flatMap(all -> machine.uplink().flatMap(uplink -> all.passed(uplink.id())));
        }
    }

    private void begin(HostView host, Deadline deadline) {
        try {
            new Recovery(shop, roster, lives, maker, returns, destroyer)
                    .recover(shop.engine().found(), host.boot(), deadline);
        } catch (RuntimeException e) {
            letGo();
            throw e;
        }
        meters.begin();
        pools.begin();
    }

    private boolean isQuiet(HostedBox box) {
        return sleep.isQuiet(box);
    }

    private void arrived(HostedBox box) {
        if (!shop.record().rows().boxes().containsKey(box.id())) {
            return;
        }
        meters.look(box);
        sleep.consider(box);
        checkpoints.consider(box);
        box.row()
                .settings()
                .expiresAt()
                .ifPresent(end -> shop.agenda()
                        .in(
                                Duration.between(Instant.now(), end),
                                "expire-" + box.id(),
                                () -> lives.byItself(box, () -> {
                                    if (box.life() != Life.DESTROYED) {
                                        expire(box);
                                    }
                                })));
        pools.adjust();
    }

    private void expire(HostedBox box) {
        lives.tell(box, BoxEvent.Kind.EXPIRED, EXPIRED);
        destroyer.destroy(List.of(box), false, EXPIRED, Deadline.in(EXPIRING));
    }

    @Override
    public Box create(NewBox order, Deadline deadline) {
        return views.of(maker.create(order, deadline));
    }

    @Override
    public Forked fork(String box, ForkOrder order, Deadline deadline) {
        Forker.Copies copies = forker.fork(roster.find(box), order, deadline);
        return copies.shown(copies.boxes().stream().map(views::of).toList());
    }

    @Override
    public List<Box> list() {
        return views.all();
    }

    @Override
    public Box find(String box) {
        return views.of(roster.find(box));
    }

    @Override
    public Box rename(String box, String name) {
        Limits.requireName(name);
        HostedBox hosted = roster.find(box);
        shop.record().apply(new BoxCommand.Rename(hosted.id(), name));
        Machine machine = hosted.machine();
        if (hosted.life() == Life.RUNNING && machine != null) {
            tellName(hosted, machine, name);
        }
        return views.of(hosted);
    }

    /** At once if it can be; otherwise the next time that it starts or wakes. */
    private static void tellName(HostedBox hosted, Machine machine, String name) {
        Identity identity = machine.identity();
        try {
            machine.agent()
                    .renew(
                            new Renewal(
                                    Set.of(RenewalStep.HOSTNAME),
                                    name,
                                    identity.machineId(),
                                    UUID.fromString(identity.bootId()),
                                    identity.generation()),
                            Deadline.in(RENAMING));
        } catch (BoxdException e) {
            Workshop.warn("box " + hosted.id() + " does not know its new name yet", e);
        }
    }

    @Override
    public Box label(String box, Map<String, Optional<String>> changes) {
        HostedBox hosted = roster.find(box);
        return hosted.exclusively(Deadline.in(LETTING_GO), () -> {
            Map<String, String> labels = new HashMap<>(hosted.row().settings().labels());
            changes.forEach((key, value) -> {
                labels.remove(key);
                value.ifPresent(present -> labels.put(key, present));
            });
            shop.config().limits().requireLabels(labels);
            shop.record().apply(new BoxCommand.Label(hosted.id(), labels));
            return views.of(hosted);
        });
    }

    @Override
    public Box resize(String box, MachineSize size, List<Allowance> allowances, Deadline deadline) {
        HostedBox hosted = roster.find(box);
        return hosted.exclusively(deadline, () -> {
            MachineSize present = hosted.row().settings().size();
            if (size.diskBytes() < present.diskBytes()) {
                throw new BoxdException(
                        ErrorCode.INVALID_ARGUMENT,
                        "a disk cannot become smaller",
                        "Give at least " + present.diskBytes() / MachineSize.MIB + " MiB.",
                        null);
            }
            if (!size.equals(present)) {
                lives.resize(hosted, new BoxCommand.Resize(hosted.id(), size, allowances), deadline);
            }
            return views.of(hosted);
        });
    }

    @Override
    public Box setSleep(String box, SleepRules rules) {
        if (rules.idleAfter().isNegative() || rules.hibernateAfter().isNegative()) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "an idle time is not negative");
        }
        HostedBox hosted = roster.find(box);
        shop.record().apply(new BoxCommand.Sleep(hosted.id(), rules));
        sleep.consider(hosted);
        return views.of(hosted);
    }

    @Override
    public Moved move(String box, Move move, Deadline deadline) {
        HostedBox hosted = roster.find(box);
        Lives.Outcome outcome = lives.happen(hosted, new LifeEvent.Asked(move), Lives.ASKED, deadline);
        return new Moved(views.of(hosted), outcome.changed(), outcome.took());
    }

    @Override
    public List<String> destroy(List<String> boxes, boolean tree, Deadline deadline) {
        return destroyer.destroy(boxes.stream().map(roster::find).distinct().toList(), tree, Lives.ASKED, deadline);
    }

    @Override
    public KeptSnapshot snapshot(String box, SnapshotOrder order, Deadline deadline) {
        HostedBox hosted = roster.find(box);
        KeptSnapshot kept = timeline.take(hosted, order, deadline);
        if (order.cause() == KeptSnapshot.Cause.CHECKPOINT) {
            checkpoints.thin(hosted.id());
        }
        return kept;
    }

    @Override
    public List<KeptSnapshot> snapshots(Optional<String> box) {
        return timeline.list(box.map(name -> roster.find(name).id()));
    }

    @Override
    public KeptSnapshot findSnapshot(String snapshot) {
        return shop.record().rows().snapshot(snapshot).snapshot();
    }

    @Override
    public void forgetSnapshot(String snapshot) {
        timeline.forget(List.of(shop.record().rows().snapshot(snapshot)));
    }

    @Override
    public KeptSnapshot rollback(String box, String snapshot, Deadline deadline) {
        return returns.rollback(roster.find(box), shop.record().rows().snapshot(snapshot), deadline);
    }

    @Override
    public Box promote(String fork, Deadline deadline) {
        return views.of(returns.promote(roster.find(fork), deadline));
    }

    @Override
    public Hold hold(String box, String reason, Deadline deadline) {
        return HeldBox.take(roster.find(box), lives, reason, deadline, views);
    }

    @Override
    public void commandBegun(String box) {
        // The guest itself says whether it still runs, to this server and to the next.
        roster.find(box).activity().touch(Instant.now());
    }

    @Override
    public Instant busy(String box, Duration time, Deadline deadline) {
        if (time.isNegative() || time.compareTo(shop.config().limits().longestBusy()) > 0) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a box can be kept awake for up to "
                            + Spoken.of(shop.config().limits().longestBusy()));
        }
        HostedBox hosted = roster.find(box);
        lives.use(hosted, "somebody keeps it busy", deadline);
        Instant until = Instant.now().plus(time);
        shop.record().apply(new BoxCommand.Busy(hosted.id(), until));
        return hosted.row().condition().busyUntil().orElse(until);
    }

    @Override
    public Why why(String box) {
        HostedBox hosted = roster.find(box);
        return sleep.why(hosted, views.of(hosted));
    }

    @Override
    public List<BoxFigures> figures() {
        return views.figures();
    }

    @Override
    public List<Used> used(Instant since) {
        roster.all().forEach(meters::look);
        meters.await(Deadline.in(COUNTING));
        return meters.book().since(since);
    }

    /** Boxes that are nobody's are this owner's from now on. */
    public void adopt(String owner) {
        if (rows().boxes().values().stream().anyMatch(row -> row.owner().equals(BoxRow.LOCAL))) {
            shop.record().apply(new BoxCommand.Adopt(BoxRow.LOCAL, owner));
        }
    }

    @Override
    public int spareMachines() {
        return pools.spare();
    }

    @Override
    public String console(String box) {
        HostedBox hosted = roster.find(box);
        Machine machine = hosted.machine();
        Remains remains = hosted.remains();
        if (machine != null) {
            return machine.consoleTail();
        }
        return remains == null ? "" : shop.engine().consoleTail(remains);
    }

    @Override
    public void hibernateAll(Deadline deadline) {
        List<HostedBox> awake =
                roster.all().stream().filter(box -> box.life().hasMachine()).toList();
        shop.record()
                .apply(new BoxCommand.Remember(
                        awake.stream()
                                .filter(box -> box.life() == Life.RUNNING)
                                .map(HostedBox::id)
                                .toList(),
                        true));
        List<CompletableFuture<Lives.Outcome>> going = awake.stream()
                .map(box -> CompletableFuture.supplyAsync(
                        () -> lives.happen(box, new LifeEvent.Unneeded(), "its host is going down", deadline),
                        Thread::startVirtualThread))
                .toList();
        List<Throwable> failures = new ArrayList<>();
        for (CompletableFuture<Lives.Outcome> one : going) {
            var _ = one.exceptionally(e -> {
                        failures.add(e);
                        return new Lives.Outcome(false, Duration.ZERO);
                    })
                    .join();
        }
        if (!failures.isEmpty()) {
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE, failures.size() + " boxes could not be hibernated", failures.getFirst());
        }
    }

    @Override
    public void close() {
        if (shop.closing().get()) {
            return;
        }
        letGo();
    }

    private void letGo() {
        shop.closing().set(true);
        shop.agenda().close();
        meters.close();
        for (HostedBox box : roster.all()) {
            try {
                box.withLock(Deadline.in(LETTING_GO), () -> {
                    Machine machine = box.machine();
                    if (machine != null) {
                        machine.detach();
                    }
                    return true;
                });
            } catch (BoxdException e) {
                Workshop.warn("box " + box.name() + " is let go of while something is done to it", e);
            }
        }
        shop.engine().close();
        below.run();
    }

    /** What is written down of the boxes. */
    BoxRows rows() {
        return shop.record().rows();
    }
}
