package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.BusyLease;
import io.boxd.guest.ExecutionInfo;
import io.boxd.vmm.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Puts boxes to sleep when they are idle.
 *
 * <p>Each box is looked at only when it could be time. What the host knows is looked at first; the guest is
 * asked last, when everything else has been quiet for long enough.
 */
final class Sleep {
    private static final Duration ASKING = Duration.ofSeconds(5);
    private static final Duration FALLING_ASLEEP = Duration.ofMinutes(2);
    private static final Duration SHORTEST_LOOK = Duration.ofMillis(100);

    private final Workshop shop;
    private final Lives lives;
    /** Processor time of interactive executions when they were last looked at, by box. */
    private final Map<String, Map<String, Duration>> seen = new ConcurrentHashMap<>();

    Sleep(Workshop shop, Lives lives) {
        this.shop = shop;
        this.lives = lives;
    }

    private static String key(HostedBox box) {
        return "sleep-" + box.id();
    }

    /** A box is somewhere else in its life, or has other rules: when to look at it next. */
    void consider(HostedBox box) {
        SleepRules rules = box.row().settings().sleep();
        switch (box.life()) {
            case RUNNING -> look(box, rules.idleAfter(), () -> lookAwake(box));
            case STANDBY -> {
                Duration past = Duration.between(box.since(), Instant.now());
                boolean ever = !rules.hibernateAfter().isZero();
                look(box, ever ? atLeast(rules.hibernateAfter().minus(past)) : Duration.ZERO, () -> deeper(box));
            }
            case STARTING, HIBERNATED, DORMANT, STOPPED, FAILED, DESTROYED -> {
                seen.remove(box.id());
                shop.agenda().cancel(key(box));
            }
        }
    }

    private void look(HostedBox box, Duration in, Runnable work) {
        if (in.isZero()) {
            shop.agenda().cancel(key(box));
        } else {
            shop.agenda().in(in, key(box), () -> lives.byItself(box, work));
        }
    }

    private static Duration atLeast(Duration time) {
        return time.compareTo(SHORTEST_LOOK) < 0 ? SHORTEST_LOOK : time;
    }

    private void lookAwake(HostedBox box) {
        Machine machine = box.machine();
        if (box.life() != Life.RUNNING || machine == null) {
            return;
        }
        Duration idleAfter = box.row().settings().sleep().idleAfter();
        Instant touched = box.activity().touched();
        List<Signal> signals = hostSignals(box, machine);
        if (isWaiting(box, judge(box, signals, idleAfter))) {
            return;
        }
        signals.addAll(guestSignals(box, machine));
        if (isWaiting(box, judge(box, signals, idleAfter))) {
            return;
        }
        fallAsleep(box, touched, idleAfter);
    }

    private boolean isWaiting(HostedBox box, IdleRule.Verdict verdict) {
        return switch (verdict) {
            case IdleRule.Verdict.Sleep _ -> false;
            case IdleRule.Verdict.Never _ -> true;
            case IdleRule.Verdict.Wait(Duration time) -> {
                look(box, atLeast(time), () -> lookAwake(box));
                yield true;
            }
        };
    }

    private static IdleRule.Verdict judge(HostedBox box, List<Signal> signals, Duration idleAfter) {
        return IdleRule.judge(signals, box.activity().touched(), idleAfter, Instant.now());
    }

    private void fallAsleep(HostedBox box, Instant touched, Duration idleAfter) {
        try {
            Lives.Outcome outcome = lives.fallAsleep(
                    box,
                    new LifeEvent.Idle(),
                    () -> box.activity().touched().equals(touched),
                    "nothing happened in it for " + Spoken.of(idleAfter),
                    Deadline.in(FALLING_ASLEEP));
            if (!outcome.changed()) {
                consider(box);
            }
        } catch (BoxdException e) {
            look(box, idleAfter, () -> lookAwake(box));
            throw e;
        }
    }

    private void deeper(HostedBox box) {
        Duration hibernateAfter = box.row().settings().sleep().hibernateAfter();
        try {
            lives.fallAsleep(
                    box,
                    new LifeEvent.Unneeded(),
                    () -> box.life() == Life.STANDBY,
                    "it stood by for " + Spoken.of(hibernateAfter),
                    Deadline.in(FALLING_ASLEEP));
        } catch (BoxdException e) {
            look(box, atLeast(hibernateAfter), () -> deeper(box));
            throw e;
        }
    }

    /** What this host knows by itself. */
    private List<Signal> hostSignals(HostedBox box, Machine machine) {
        Instant now = Instant.now();
        List<Signal> signals = new ArrayList<>();
        List<String> holders = box.activity().holders();
        signals.add(
                holders.isEmpty()
                        ? Signal.quiet(
                                Why.Kind.HOLDS, "nobody uses it", box.activity().touched())
                        : Signal.active(Why.Kind.HOLDS, String.join(", ", holders), now));
        Optional<Instant> busy = box.row().condition().busyUntil();
        if (busy.filter(now::isBefore).isPresent()) {
            signals.add(Signal.active(Why.Kind.LEASES, "asked to be busy until " + busy.get(), now));
        }
        lives.acts().count(box, machine, false);
        signals.addAll(box.activity().counted());
        return signals;
    }

    /** What the guest says, which may be anything. */
    private List<Signal> guestSignals(HostedBox box, Machine machine) {
        Instant now = Instant.now();
        try {
            AgentConnection agent = machine.agent();
            Deadline deadline = Deadline.in(ASKING);
            return List.of(
                    commands(box, agent.executions(deadline), now), leases(agent.leases(deadline), now, box.since()));
        } catch (BoxdException e) {
            return List.of(Signal.quiet(Why.Kind.COMMANDS, "its agent does not answer", box.since()));
        }
    }

    private Signal commands(HostedBox box, List<ExecutionInfo> executions, Instant now) {
        List<ExecutionInfo> running =
                executions.stream().filter(ExecutionInfo::running).toList();
        List<ExecutionInfo> working =
                running.stream().filter(one -> !one.terminal()).toList();
        if (!working.isEmpty()) {
            return Signal.active(Why.Kind.COMMANDS, names(working), now);
        }
        Map<String, Duration> before = seen.getOrDefault(box.id(), Map.of());
        seen.put(
                box.id(),
                running.stream().collect(Collectors.toMap(one -> one.id().hex(), ExecutionInfo::cpuTime)));
        Instant last = box.since();
        for (ExecutionInfo one : running) {
            Duration used = before.get(one.id().hex());
            if (used != null && !used.equals(one.cpuTime())) {
                return Signal.active(Why.Kind.COMMANDS, names(List.of(one)), now);
            }
            last = latest(last, lastWord(one), now);
        }
        return Signal.quiet(Why.Kind.COMMANDS, running.isEmpty() ? "none runs" : "quiet: " + names(running), last);
    }

    /** When somebody last typed or it last said something, or it began. */
    private static Instant lastWord(ExecutionInfo one) {
        Instant input = one.lastInput().orElse(one.started());
        Instant output = one.lastOutput().orElse(one.started());
        return input.isAfter(output) ? input : output;
    }

    /** The guest's clock may be wrong; it never makes a box wait for the future. */
    private static Instant latest(Instant a, Instant b, Instant now) {
        Instant bounded = b.isAfter(now) ? now : b;
        return a.isAfter(bounded) ? a : bounded;
    }

    private static String names(List<ExecutionInfo> executions) {
        return executions.stream()
                .limit(3)
                .map(one -> Spoken.printable(one.command()))
                .collect(Collectors.joining(", "));
    }

    private static Signal leases(List<BusyLease> leases, Instant now, Instant since) {
        return leases.isEmpty()
                ? Signal.quiet(Why.Kind.LEASES, "none", since)
                : Signal.active(
                        Why.Kind.LEASES,
                        leases.stream()
                                .limit(3)
                                .map(lease -> Spoken.printable(lease.name()) + " for " + Spoken.of(lease.left()))
                                .collect(Collectors.joining(", ")),
                        now);
    }

    /** Whether nobody needs a box that runs, as far as its host can tell. */
    boolean isQuiet(HostedBox box) {
        Machine machine = box.machine();
        if (machine == null) {
            return true;
        }
        List<Signal> signals = hostSignals(box, machine);
        if (signals.stream().anyMatch(Signal::active)) {
            return false;
        }
        return guestSignals(box, machine).stream().noneMatch(Signal::active);
    }

    Why why(HostedBox box, Box view) {
        Instant now = Instant.now();
        Machine machine = box.machine();
        SleepRules rules = view.sleep();
        List<Signal> signals = new ArrayList<>();
        Optional<Duration> sleepsIn = Optional.empty();
        if (box.life() == Life.RUNNING && machine != null) {
            signals.addAll(hostSignals(box, machine));
            signals.addAll(guestSignals(box, machine));
            sleepsIn = switch (IdleRule.judge(signals, box.activity().touched(), rules.idleAfter(), now)) {
                case IdleRule.Verdict.Sleep _ -> Optional.of(Duration.ZERO);
                case IdleRule.Verdict.Wait(Duration time) ->
                    signals.stream().anyMatch(Signal::active) ? Optional.empty() : Optional.of(time);
                case IdleRule.Verdict.Never _ -> Optional.empty();
            };
        } else if (box.life() == Life.STANDBY && !rules.hibernateAfter().isZero()) {
            Duration left = rules.hibernateAfter().minus(Duration.between(box.since(), now));
            sleepsIn = Optional.of(left.isNegative() ? Duration.ZERO : left);
        }
        return new Why(view, box.since(), box.because(), IdleRule.sources(signals, now), sleepsIn);
    }
}
