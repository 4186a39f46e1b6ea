package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.network.Knock;
import io.boxd.vmm.EndReason;
import io.boxd.vmm.Machine;
import io.boxd.worker.LifeStep.Act;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Leads boxes through their lives: every change of state goes through here, and through {@link Transitions}. */
final class Lives implements Ends {
    /** Why most things happen. */
    static final String ASKED = "somebody asked for it";

    private static final Duration BY_ITSELF = Duration.ofMinutes(3);

    private final Workshop shop;
    private final Acts acts;
    private final Capacity capacity;
    private final Admissions admissions;
    private final Consumer<HostedBox> arrived;

    /** @param arrived hears of each box that is somewhere else now */
    Lives(Workshop shop, Instants instants, Capacity capacity, Admissions admissions, Consumer<HostedBox> arrived) {
        this.shop = shop;
        this.acts = new Acts(shop, instants, this);
        this.capacity = capacity;
        this.admissions = admissions;
        this.arrived = arrived;
    }

    Acts acts() {
        return acts;
    }

    /** What an event has changed, and how long that took. */
    record Outcome(boolean changed, Duration took) {}

    /** Lets an event happen to a box. */
    Outcome happen(HostedBox box, LifeEvent event, String because, Deadline deadline) {
        return happen(box, event, () -> true, because, deadline);
    }

    /** The same, if the condition still holds when nobody else changes the box. */
    Outcome happen(HostedBox box, LifeEvent event, BooleanSupplier still, String because, Deadline deadline) {
        Supplier<Outcome> change = () -> box.exclusively(deadline, () -> step(box, event, still, because, deadline));
        if (!(Transitions.next(box.life(), event) instanceof LifeStep.Go(Act act, Life _))) {
            return change.get();
        }
        return switch (act) {
            // Before the box's lock is taken, since others may have to be put to sleep.
            case WAKE, BOOT ->
                admissions.admitted(List.of(Claim.of(box.row())), () -> {
                    capacity.make(1, capacity.estimate(box), deadline);
                    return change.get();
                });
            case RESUME -> admissions.admitted(List.of(Claim.of(box.row())), change);
            case NOTE, NOTED, PAUSE, HIBERNATE, SHUT_DOWN, REBOOT, REST, BOOT_AGAIN, DISCARD -> change.get();
        };
    }

    /** Under the box's lock. */
    Outcome step(HostedBox box, LifeEvent event, BooleanSupplier still, String because, Deadline deadline) {
        if (!still.getAsBoolean()) {
            return new Outcome(false, Duration.ZERO);
        }
        if (box.isLeaving() && !(event instanceof LifeEvent.Discarded)) {
            throw new BoxdException(ErrorCode.WRONG_STATE, box.name() + " is about to be no more");
        }
        return switch (Transitions.next(box.life(), event)) {
            case LifeStep.Stay _ -> new Outcome(false, Duration.ZERO);
            case LifeStep.Refused refused -> throw refused.exception(box.name());
            case LifeStep.Go(Act act, Life to) -> {
                long start = System.nanoTime();
                Life from = box.life();
                // Whoever wants it from now on has to wait for this, and then act on what has become of it.
                box.changing(true);
                try {
                    perform(box, act, to, because, deadline);
                    box.arrive(to, because, Instant.now());
                    tell(box, kind(act, to), because);
                } catch (RuntimeException e) {
                    tellWhatIsLeft(box, from, e);
                    throw e;
                } finally {
                    box.changing(false);
                }
                arrived.accept(box);
                yield new Outcome(true, Duration.ofNanos(System.nanoTime() - start));
            }
        };
    }

    /** Tells what has become of a box; nobody waits for that, and nothing depends on it. */
    void tell(HostedBox box, BoxEvent.Kind kind, String because) {
        shop.witness().saw(event(box, kind, because));
    }

    static BoxEvent event(HostedBox box, BoxEvent.Kind kind, String because) {
        return new BoxEvent(
                kind,
                box.id(),
                box.name(),
                box.whose(),
                Instant.now(),
                Optional.of(box.life().status()),
                because,
                Map.of());
    }

    private static BoxEvent.Kind kind(Act act, Life to) {
        return switch (act) {
            case NOTE, NOTED, REST ->
                switch (to) {
                    case RUNNING -> BoxEvent.Kind.READY;
                    case FAILED -> BoxEvent.Kind.FAILED;
                    case STARTING, STANDBY, HIBERNATED, DORMANT, STOPPED, DESTROYED -> BoxEvent.Kind.STOPPED;
                };
            case PAUSE -> BoxEvent.Kind.PAUSED;
            case RESUME -> BoxEvent.Kind.RESUMED;
            case HIBERNATE -> BoxEvent.Kind.HIBERNATED;
            case WAKE -> BoxEvent.Kind.WOKEN;
            case BOOT -> BoxEvent.Kind.STARTED;
            case SHUT_DOWN -> BoxEvent.Kind.STOPPED;
            case REBOOT, BOOT_AGAIN -> BoxEvent.Kind.REBOOTED;
            case DISCARD -> BoxEvent.Kind.DESTROYED;
        };
    }

    /** Something went wrong half-way: where that has led is a change like any other, unless it was told already. */
    private void tellWhatIsLeft(HostedBox box, Life from, RuntimeException failure) {
        Life passing = box.life();
        showWhatIsLeft(box);
        Life now = box.life();
        if (now != from && now != passing) {
            BoxEvent.Kind kind = switch (now) {
                case RUNNING -> BoxEvent.Kind.RESUMED;
                case STANDBY -> BoxEvent.Kind.PAUSED;
                case HIBERNATED -> BoxEvent.Kind.HIBERNATED;
                case STARTING, DORMANT, STOPPED, FAILED, DESTROYED -> BoxEvent.Kind.STOPPED;
            };
            tell(box, kind, "what was tried went wrong: " + failure.getMessage());
        }
    }

    /** After something that went wrong half-way: what the box has tells where it is. */
    private static void showWhatIsLeft(HostedBox box) {
        Machine machine = box.machine();
        if (machine != null) {
            box.show(machine.state() == Machine.State.STANDBY ? Life.STANDBY : Life.RUNNING);
        } else if (box.memory() != null) {
            box.show(Life.HIBERNATED);
        } else if (box.life().hasMachine() || box.life() == Life.STARTING) {
            box.show(Life.STOPPED);
        }
    }

    /** A box has come somewhere by other ways. */
    void noteArrival(HostedBox box) {
        arrived.accept(box);
    }

    private void perform(HostedBox box, Act act, Life to, String because, Deadline deadline) {
        switch (act) {
            case NOTE -> settle(box, to, because);
            case NOTED -> {
                // With all others of its order, by whoever made it.
            }
            case PAUSE -> acts.pause(box, deadline);
            case RESUME -> acts.resume(box, deadline);
            case HIBERNATE -> acts.hibernate(box, deadline);
            case WAKE -> acts.wake(box, deadline);
            case BOOT -> boot(box, because, deadline);
            case SHUT_DOWN -> shutDown(box, because, deadline);
            case REBOOT -> {
                restarting(box, because);
                acts.shutDown(box, deadline);
                acts.restForNow(box, because);
                bootOrFail(box, because, deadline);
            }
            case REST -> {
                acts.rest(box, because);
                settle(box, to, because);
            }
            case BOOT_AGAIN -> {
                restarting(box, because);
                acts.restForNow(box, because);
                bootOrFail(box, because, deadline);
            }
            case DISCARD -> acts.discard(box);
        }
    }

    /** Written down first: a server that ends in the middle leaves a box that is started. */
    private void restarting(HostedBox box, String because) {
        shop.record().apply(new BoxCommand.Settle(box.id(), Standing.RESTARTING, because, Instant.now()));
    }

    /** Starts it anew in another size; under its lock. */
    void resize(HostedBox box, BoxCommand.Resize command, Deadline deadline) {
        switch (box.life()) {
            case RUNNING, STANDBY, HIBERNATED ->
                admissions.admitted(List.of(Claim.of(box.row(), command.size())), () -> {
                    restart(box, command, deadline);
                    return true;
                });
            case STOPPED, FAILED, DORMANT -> shop.record().apply(command);
            case STARTING, DESTROYED ->
                throw new BoxdException(ErrorCode.WRONG_STATE, box.name() + " cannot be resized now");
        }
    }

    private void restart(HostedBox box, BoxCommand.Resize command, Deadline deadline) {
        String because = "it was resized";
        // What would be refused is refused before anything is ended.
        var _ = BoxDecisions.of(shop.record().rows(), command);
        restarting(box, because);
        acts.shutDown(box, deadline);
        acts.restForNow(box, because);
        Optional<BoxdException> refusal = resized(command);
        bootOrFail(box, because, deadline);
        box.arrive(Life.RUNNING, because, Instant.now());
        tell(box, BoxEvent.Kind.REBOOTED, because);
        arrived.accept(box);
        if (refusal.isPresent()) {
            throw refusal.get();
        }
    }

    /** Somebody may have taken the room meanwhile: then it goes on as it was. */
    private Optional<BoxdException> resized(BoxCommand.Resize command) {
        try {
            shop.record().apply(command);
            return Optional.empty();
        } catch (BoxdException e) {
            return Optional.of(e);
        }
    }

    private void boot(HostedBox box, String because, Deadline deadline) {
        acts.boot(box, deadline);
        settle(box, Life.RUNNING, because);
    }

    /** Its machine has gone already: if it cannot be booted, it has failed. */
    private void bootOrFail(HostedBox box, String because, Deadline deadline) {
        try {
            boot(box, because, deadline);
        } catch (BoxdException e) {
            String reason = "it could not be started again: " + e.getMessage();
            acts.abandonWatch(box);
            settle(box, Life.FAILED, reason);
            box.arrive(Life.FAILED, reason, Instant.now());
            tell(box, BoxEvent.Kind.FAILED, reason);
            throw e;
        }
    }

    /** It could not be booted from its disk: its newest snapshot is better than nothing; under its lock. */
    void fallBack(HostedBox box, String why, BoxdException failure, Deadline deadline) {
        if (box.life().hasMachine()) {
            return;
        }
        String reason = why + ", which failed: " + failure.getMessage();
        try {
            acts.bootFromNewestSnapshot(box, deadline);
            String from = why + "; its disk could not be used, so it goes on from its newest snapshot";
            settle(box, Life.RUNNING, from);
            box.arrive(Life.RUNNING, from, Instant.now());
            tell(box, BoxEvent.Kind.STARTED, from);
        } catch (BoxdException e) {
            settle(box, Life.FAILED, reason);
            box.arrive(Life.FAILED, reason, Instant.now());
            tell(box, BoxEvent.Kind.FAILED, reason);
        }
        arrived.accept(box);
    }

    /** The wish is written down first: a server that ends in the middle leaves a box that stops. */
    private void shutDown(HostedBox box, String because, Deadline deadline) {
        settle(box, Life.STOPPED, because);
        try {
            acts.shutDown(box, deadline);
            acts.rest(box, because);
        } catch (RuntimeException e) {
            settle(box, Life.RUNNING, "");
            throw e;
        }
    }

    void settle(HostedBox box, Life life, String because) {
        Standing standing = switch (life) {
            case STARTING -> Standing.PROMISED;
            case RUNNING, STANDBY, HIBERNATED -> Standing.LIVE;
            case DORMANT -> Standing.DORMANT;
            case STOPPED -> Standing.STOPPED;
            case FAILED -> Standing.FAILED;
            case DESTROYED -> Standing.DOOMED;
        };
        shop.record().apply(new BoxCommand.Settle(box.id(), standing, because, Instant.now()));
    }

    /** Wakes a box that somebody needs; however many do so, it is woken once. */
    void use(HostedBox box, String because, Deadline deadline) {
        if (!box.isThere()) {
            happen(box, new LifeEvent.Used(), because, deadline);
        }
        Machine machine = box.machine();
        if (machine != null && machine.isStalled()) {
            // Its host's disk was full; if it still is, the machine says so again.
            machine.resume(deadline);
        }
    }

    /** Puts a box to sleep unless somebody takes it, who then either is seen here or sees that he must wait. */
    Outcome fallAsleep(HostedBox box, LifeEvent event, BooleanSupplier still, String because, Deadline deadline) {
        box.sleepy(true);
        try {
            return happen(box, event, () -> !box.activity().isHeld() && still.getAsBoolean(), because, deadline);
        } finally {
            box.sleepy(false);
        }
    }

    @Override
    public void listen(HostedBox box, Machine machine) {
        var _ = machine.ended()
                .thenAccept(reason -> Thread.ofVirtual()
                        .name("ended-" + box.id())
                        .start(() -> byItself(box, () -> ended(box, machine, reason))));
    }

    private void ended(HostedBox box, Machine machine, EndReason reason) {
        happen(
                box,
                new LifeEvent.Ended(reason),
                () -> isOurs(box, machine),
                Acts.reason(reason, machine),
                Deadline.in(BY_ITSELF));
    }

    private boolean isOurs(HostedBox box, @Nullable Machine machine) {
        return box.machine() == machine && !shop.closing().get();
    }

    @Override
    public Consumer<Knock> knocked(HostedBox box) {
        return knock -> byItself(
                box,
                () -> use(
                        box,
                        "a packet came from " + knock.source().getHostAddress()
                                + (knock.port() == 0 ? "" : " for port " + knock.port()),
                        Deadline.in(BY_ITSELF)));
    }

    /** Nobody waits for this, so nobody but the log is told if it fails. */
    void byItself(HostedBox box, Runnable work) {
        if (shop.closing().get()) {
            return;
        }
        try {
            work.run();
        } catch (RuntimeException e) {
            if (!shop.closing().get()) {
                Workshop.warn("something went wrong with box " + box.name(), e);
            }
        }
    }
}
