package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.vmm.Base;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.MachineSize;
import io.boxd.vmm.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes boxes from images and snapshots: the name is taken first, the machine made, then it is written down. */
final class Maker {
    private static final Duration BY_ITSELF = Duration.ofMinutes(15);

    private final Workshop shop;
    private final Roster roster;
    private final Lives lives;
    private final Capacity capacity;
    private final Admissions admissions;
    private final Instants instants;
    private final Pools pools;

    Maker(
            Workshop shop,
            Roster roster,
            Lives lives,
            Capacity capacity,
            Admissions admissions,
            Instants instants,
            Pools pools) {
        this.shop = shop;
        this.roster = roster;
        this.lives = lives;
        this.capacity = capacity;
        this.admissions = admissions;
        this.instants = instants;
        this.pools = pools;
    }

    HostedBox create(NewBox order, Deadline deadline) {
        long start = System.nanoTime();
        Optional<KeyRow> before = shop.record().rows().before(order.key());
        if (before.isPresent()) {
            return made(before.get().boxes(), deadline).getFirst();
        }
        BoxRow row = row(order);
        HostedBox box = new HostedBox(row.id(), Life.STARTING, shop.record(), Instant.now());
        Outcome outcome =
                reserve(List.of(box), new BoxCommand.Reserve(List.of(row), all(order.allowances()), order.key()));
        if (outcome.before()) {
            return made(outcome.boxes(), deadline).getFirst();
        }
        if (order.untilReady()) {
            makeOrUndo(box, start, deadline);
        } else {
            makeSoon(box, start);
        }
        return box;
    }

    private BoxRow row(NewBox order) {
        Limits limits = shop.config().limits();
        Limits.requireName(order.name());
        limits.requireLabels(order.labels());
        limits.requireEnvironment(order.environment());
        Instant now = Instant.now();
        Standing standing = order.untilReady() ? Standing.RESERVED : Standing.PROMISED;
        Source source = source(order);
        BoxSettings settings = new BoxSettings(
                order.name(),
                order.labels(),
                order.environment(),
                source.size(),
                order.sleep(),
                Checkpoints.millis(order.checkpoints()),
                order.timeToLive().map(now::plus),
                order.sharing(),
                source.doorway());
        return new BoxRow(
                BoxIds.box(),
                order.owner(),
                0,
                Identity.fresh(order.name(), 1).machineId(),
                source.image(),
                BoxRow.sourceOf(order.origin()),
                source.forkedFrom(),
                now,
                0,
                0,
                settings,
                BoxCondition.begin(standing, source.snapshot(), now));
    }

    private record Source(
            String image, MachineSize size, Optional<String> snapshot, Optional<String> forkedFrom, Doorway doorway) {}

    private Source source(NewBox order) {
        return switch (order.origin()) {
            case Origination.FromImage(String image) -> {
                shop.images().require(image);
                MachineSize size = order.size().orElse(shop.config().size());
                yield new Source(image, size, Optional.empty(), Optional.empty(), Doorway.usual());
            }
            case Origination.FromSnapshot(String id) -> {
                KeptRow kept = shop.record().rows().snapshot(id);
                if (order.size().filter(size -> !size.equals(kept.size())).isPresent()) {
                    throw new BoxdException(
                            ErrorCode.INVALID_ARGUMENT,
                            "a box from a snapshot has the size of the snapshot",
                            "Make it without a size, then resize it.",
                            null);
                }
                yield new Source(
                        kept.image(), kept.size(), Optional.of(kept.id()), Optional.of(kept.box()), kept.doorway());
            }
            case Origination.FromBox _ ->
                throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "a box is copied by forking it");
        };
    }

    /** With what this host can have at all. */
    List<Allowance> all(List<Allowance> asked) {
        List<Allowance> all = new ArrayList<>(asked);
        all.add(Allowance.ofBoxes(shop.config().limits().boxes(), "this host", "Destroy some, or use another host."));
        return all;
    }

    /** Takes names for boxes, and room to be awake. */
    Outcome reserve(List<HostedBox> boxes, BoxCommand.Reserve command) {
        List<Claim> claims = command.boxes().stream().map(Claim::of).toList();
        return admissions.admitted(claims, () -> enter(boxes, command));
    }

    /** They are on the roster before: whoever asks for the same right after this finds them there. */
    private Outcome enter(List<HostedBox> boxes, BoxCommand.Reserve command) {
        boxes.forEach(roster::add);
        try {
            Outcome outcome = shop.record().apply(command);
            if (outcome.before()) {
                boxes.forEach(box -> roster.remove(box.id()));
            }
            return outcome;
        } catch (RuntimeException e) {
            boxes.forEach(box -> roster.remove(box.id()));
            throw e;
        }
    }

    /** Those that the same request has made before, or is just making. */
    List<HostedBox> made(List<String> ids, Deadline deadline) {
        List<HostedBox> boxes = ids.stream()
                .map(id -> roster.onHost(id).orElseThrow(Maker::destroyed))
                .toList();
        boxes.stream()
                .filter(box -> box.row().standing() == Standing.RESERVED)
                .forEach(box -> box.exclusively(deadline, () -> true));
        if (boxes.stream().anyMatch(box -> box.life() == Life.DESTROYED)) {
            throw destroyed();
        }
        return boxes;
    }

    private static BoxdException destroyed() {
        return new BoxdException(
                ErrorCode.NOT_FOUND,
                "what this request has made is there no more",
                "Choose a new idempotency key for something new.",
                null);
    }

    private void makeOrUndo(HostedBox box, long start, Deadline deadline) {
        try {
            make(box, start, deadline);
        } catch (RuntimeException e) {
            undo(List.of(box), e);
            throw e;
        }
    }

    /** Nobody was told of them: as if they had never been asked for. */
    void undo(List<HostedBox> boxes, RuntimeException failure) {
        for (HostedBox box : boxes) {
            lives.acts().discard(box);
            box.arrive(Life.DESTROYED, "it could not be made", Instant.now());
            lives.tell(box, BoxEvent.Kind.DESTROYED, "it could not be made: " + failure.getMessage());
            roster.remove(box.id());
        }
        shop.record()
                .apply(new BoxCommand.Remove(boxes.stream().map(HostedBox::id).toList()));
    }

    /** Somebody was promised it: what goes wrong is shown in its status. */
    void makeSoon(HostedBox box, long start) {
        Thread.ofVirtual()
                .name("make-" + box.id())
                .start(() -> lives.byItself(box, () -> {
                    try {
                        make(box, start, Deadline.in(BY_ITSELF));
                    } catch (BoxdException e) {
                        box.withLock(
                                Deadline.in(BY_ITSELF),
                                () -> lives.step(
                                        box,
                                        new LifeEvent.NotMade(),
                                        () -> true,
                                        "it could not be made: " + e.getMessage(),
                                        Deadline.in(BY_ITSELF)));
                    }
                }));
    }

    private void make(HostedBox box, long start, Deadline deadline) {
        BoxRow row = box.row();
        Identity identity = new Identity(
                row.name(), row.machineId(), Identity.fresh(row.name(), 1).bootId(), 1);
        Machine machine = machine(row, identity, deadline);
        box.withLock(deadline, () -> {
            lives.acts().receive(box, machine);
            long millis = millisSince(start);
            shop.record()
                    .apply(new BoxCommand.Made(
                            List.of(box.id()),
                            List.of(shop.ways().addresses(machine, List.of())),
                            millis,
                            millis,
                            Instant.now()));
            return lives.step(box, new LifeEvent.Made(), () -> true, "it is new", deadline);
        });
    }

    private Machine machine(BoxRow row, Identity identity, Deadline deadline) {
        return switch (row.origin()) {
            case Origination.FromSnapshot(String id) -> {
                Snapshot snapshot =
                        instants.require(shop.record().rows().snapshot(id).instant());
                capacity.make(1, Capacity.machineBytes() + snapshot.bytes(), deadline);
                yield shop.engine().start(snapshot, identity, deadline);
            }
            case Origination.FromImage(String image) -> {
                capacity.make(1, Capacity.machineBytes(), deadline);
                Base base = shop.images().base(image, row.settings().size(), deadline);
                pools.used(base);
                yield shop.engine().start(base, identity, deadline);
            }
            case Origination.FromBox _ ->
                throw new BoxdException(ErrorCode.WRONG_STATE, row.name() + " was never finished");
        };
    }

    static long millisSince(long startNanos) {
        return (System.nanoTime() - startNanos) / 1_000_000;
    }
}
