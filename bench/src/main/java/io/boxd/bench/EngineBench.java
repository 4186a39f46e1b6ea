package io.boxd.bench;

import io.boxd.common.Deadline;
import io.boxd.vmm.Base;
import io.boxd.vmm.EngineFigures;
import io.boxd.vmm.ForkResult;
import io.boxd.vmm.Identity;
import io.boxd.vmm.Machine;
import io.boxd.vmm.MachineSize;
import io.boxd.vmm.PoolSize;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Figures of the engine at the product's defaults: two processors, 8 GiB, 100 GB disk, a whole Debian.
 *
 * <p>Every "ready" figure ends with the first command's output. Baselines come from the same run, so
 * that ratios mean something on a noisy machine.
 */
public final class EngineBench {
    private static final MachineSize DEFAULTS = new MachineSize(2, 8 * MachineSize.GIB, 100 * MachineSize.GIB);
    private static final List<Integer> DIRTY_MEGABYTES = List.of(0, 10, 50, 100, 200);
    private static final long MB = 1_000_000;
    private static final int STANDBY_ROUNDS = 200;
    private static final int WARM_UP = 100;
    /** What takes many seconds each is measured less often. */
    private static final int SLOW_ROUNDS = 5;

    private final Setup setup;
    private final Report report = new Report();
    private final int rounds;
    private final Base base;

    private EngineBench(Setup setup, int rounds) {
        this.setup = setup;
        this.rounds = rounds;
        this.base = setup.engine().base(setup.image(), DEFAULTS, EngineBench::say, minutes(5));
    }

    /** Arguments: {@code [--rounds N] [--output FILE]}. */
    public static void main(String[] arguments) throws IOException {
        Options options = Options.parse(arguments, Map.of("--rounds", "11", "--output", "bench/results/engine.json"));
        Path output = options.path("--output");
        try (Setup setup = new Setup(Path.of("").toAbsolutePath(), Setup.imageCache(), EngineBench::say)) {
            EngineBench bench = new EngineBench(setup, options.number("--rounds"));
            bench.measure();
            bench.report.print(System.out);
            bench.report.write(output);
            say("written to " + output);
        }
    }

    private static void say(String line) {
        System.err.println(line);
    }

    private static Deadline minutes(int minutes) {
        return Deadline.in(Duration.ofMinutes(minutes));
    }

    private void measure() throws IOException {
        report.fact("accelerator", setup.engine().host().accelerator().toString());
        report.fact("processors", Runtime.getRuntime().availableProcessors());
        report.fact("rounds", rounds);
        double memcpy = yardsticks();
        double inject = setupInject();
        double coldBoot = coldBoot();
        double migrateClone = migrateClone();
        double newMillis = startWithoutPool();
        double exec = sleepAndExec();
        startFromPool(exec);
        forks(memcpy, inject, newMillis, coldBoot, migrateClone);
        new LastingFigures(setup.engine(), base, report, Math.min(rounds, SLOW_ROUNDS)).measure(newMillis);
        new WireFigures(setup, report).measure();
        new ControlFigures(setup, report, rounds).measure();
        fanOut(10);
        fanOut(25);
    }

    private double yardsticks() {
        say("memory copy, process start");
        EngineFigures figures = setup.engine().figures();
        Samples copy = new Samples();
        Samples spawn = new Samples();
        for (int i = 0; i < rounds; i++) {
            copy.add(figures.copy(200 * MB));
            spawn.add(figures.spawn(base, minutes(1)));
        }
        double rate = 200_000 / copy.median();
        report.figure("memcpy_mb_s", rate, copy.count(), "", "one thread, both sides in memory already");
        report.median("qemu_spawn_ms", spawn, "a jailed QEMU from nothing to answering");
        return rate;
    }

    private double setupInject() {
        Samples inject = new Samples();
        for (int i = 0; i < Math.min(rounds, 5); i++) {
            inject.add(setup.engine().figures().inject(base, 200L << 20, minutes(1)));
        }
        double rate = (200L << 20) / 1000.0 / inject.median();
        report.figure("inject_mb_s", rate, inject.count(), "", "writing pages into a child's untouched memory");
        return rate;
    }

    private double coldBoot() {
        say("cold boot");
        Samples boot = new Samples();
        for (int i = 0; i < SLOW_ROUNDS; i++) {
            long start = System.nanoTime();
            try (Machine machine =
                    setup.engine().boot(setup.image(), DEFAULTS, Identity.fresh("bench", 1), minutes(5))) {
                Setup.firstCommand(machine);
                Setup.run(machine, String.join(" ", setup.image().settleCommand()) + " >&2; echo settled");
                boot.add(since(start));
            }
        }
        report.median("cold_boot_ms", boot, "kernel, systemd, settled, first command");
        return boot.median();
    }

    private double migrateClone() throws IOException {
        say("clone by QEMU's own migration");
        Samples cloned;
        try (MigrationClone clone =
                new MigrationClone(setup.image(), DEFAULTS, setup.engine().host())) {
            cloned = clone.measure(SLOW_ROUNDS);
        }
        report.median("migrate_clone_ms", cloned, "QEMU migrate to a file and back, 1 GiB in use");
        return cloned.median();
    }

    private double startWithoutPool() {
        say("new, without pool");
        Samples ready = new Samples();
        for (int i = 0; i < rounds; i++) {
            ready.add(startToFirstCommand());
        }
        report.median("new_ms", ready, "from nothing on a base to the first command's output");
        return ready.median();
    }

    private Duration startToFirstCommand() {
        long start = System.nanoTime();
        try (Machine machine = setup.engine().start(base, Identity.fresh("bench", 1), minutes(1))) {
            Setup.firstCommand(machine);
            return since(start);
        }
    }

    private void startFromPool(double exec) {
        say("new, from a warmed cell");
        Samples ready = new Samples();
        for (int i = 0; i < rounds; i++) {
            fillPool(new PoolSize(0, 0, 1));
            ready.add(startToFirstCommand());
        }
        emptyPool();
        report.median("new_husk_ms", ready, "≤ %.0f".formatted(exec + 60), "the same from a warmed cell");
    }

    private double sleepAndExec() {
        say("standby, resume, exec");
        Samples suspend = new Samples();
        Samples resume = new Samples();
        Samples exec = new Samples();
        try (Machine machine = setup.engine().start(base, Identity.fresh("bench", 1), minutes(1))) {
            for (int i = -WARM_UP; i < STANDBY_ROUNDS; i++) {
                Duration down = machine.pause(minutes(1));
                Duration up = machine.resume(minutes(1));
                // It answers: it has really gone on, and is idle again, as one that is put in standby is.
                machine.agent().ping(minutes(1));
                if (i >= 0) {
                    suspend.add(down);
                    resume.add(up);
                }
            }
            Setup.firstCommand(machine);
            for (int i = 0; i < 3 * rounds; i++) {
                long start = System.nanoTime();
                Setup.firstCommand(machine);
                exec.add(since(start));
            }
        }
        report.figures(
                "suspend_us", percentiles(suspend), suspend.count(), Map.of(), "standby: the machine stands still");
        report.figures("resume_us", percentiles(resume), resume.count(), Map.of("p50", "≤ 1000"), "and goes on");
        report.median("exec_ms", exec, "sh -c 'echo ready' in a warm machine");
        return exec.median();
    }

    private static Map<String, Double> percentiles(Samples samples) {
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("p50", samples.percentile(50) * 1000);
        values.put("p99", samples.percentile(99) * 1000);
        return values;
    }

    private void forks(double memcpy, double inject, double newMillis, double coldBoot, double migrateClone) {
        Map<String, Double> pauses = new LinkedHashMap<>();
        Map<String, Double> readies = new LinkedHashMap<>();
        Map<String, Double> dirties = new LinkedHashMap<>();
        Map<String, String> pauseGoals = new LinkedHashMap<>();
        Map<String, String> readyGoals = new LinkedHashMap<>();
        for (int megabytes : DIRTY_MEGABYTES) {
            say("fork with " + megabytes + " MB dirty");
            Forking forking = fork(megabytes);
            String key = Integer.toString(megabytes);
            pauses.put(key, forking.pause().median());
            readies.put(key, forking.ready().median());
            dirties.put(key, forking.dirtyMegabytes());
            pauseGoals.put(key, "≤ %.0f".formatted(15 + 3 * forking.dirtyMegabytes() / memcpy * 1000));
            readyGoals.put(
                    key,
                    "≤ %.0f"
                            .formatted(newMillis
                                    + forking.pause().median()
                                    + forking.dirtyMegabytes() / inject * 1000
                                    + 50));
            if (megabytes == 0) {
                report.figure(
                        "fork_private_mb", forking.privateMegabytes(), rounds, "≤ 50", "host memory of an idle fork");
            }
        }
        report.figures("fork_dirty_mb", dirties, rounds, Map.of(), "what differed from the base, really");
        report.figures("fork_pause_ms", pauses, rounds, pauseGoals, "the source stands still, by MB dirty");
        report.figures(
                "fork_ready_ms", readies, rounds, readyGoals, "fork to the child's first output, husk in the pool");
        double fifty = readies.getOrDefault("50", Double.NaN);
        report.figure("times_faster_than_migrate", migrateClone / fifty, SLOW_ROUNDS, "≥ 5", "fork with 50 MB dirty");
        report.figure("times_faster_than_cold_boot", coldBoot / fifty, SLOW_ROUNDS, "≥ 25", "fork with 50 MB dirty");
    }

    private record Forking(Samples pause, Samples ready, double dirtyMegabytes, double privateMegabytes) {}

    private Forking fork(int megabytes) {
        Samples pause = new Samples();
        Samples ready = new Samples();
        Samples privateMegabytes = new Samples();
        double dirty = 0;
        try (Machine source = setup.engine().start(base, Identity.fresh("source", 1), minutes(1))) {
            // Ones, not zeros: content that no shortcut could leave out.
            Setup.run(source, "yes | head -c " + megabytes + "M > /dev/shm/dirty; echo filled");
            for (int i = 0; i < rounds; i++) {
                fillPool(new PoolSize(1, 1, 0));
                long start = System.nanoTime();
                ForkResult fork = setup.engine().fork(source, Setup.identities(1), minutes(1));
                try (Machine child = fork.machines().getFirst()) {
                    Setup.firstCommand(child);
                    ready.add(since(start));
                    pause.add(fork.pause());
                    dirty = fork.dirtyBytes() / (double) MB;
                    privateMegabytes.add(child.privateBytes() / (double) MB);
                }
            }
        }
        emptyPool();
        return new Forking(pause, ready, dirty, privateMegabytes.median());
    }

    private void fanOut(int count) {
        say("fan-out of " + count);
        Samples all = new Samples();
        try (Machine source = setup.engine().start(base, Identity.fresh("source", 1), minutes(1))) {
            Setup.run(source, "yes | head -c 10M > /dev/shm/dirty; echo filled");
            for (int i = 0; i < SLOW_ROUNDS; i++) {
                long start = System.nanoTime();
                ForkResult fork = setup.engine().fork(source, Setup.identities(count), minutes(5));
                fork.machines().parallelStream().forEach(Setup::firstCommand);
                all.add(since(start));
                fork.machines().forEach(Machine::close);
            }
        }
        report.median("fanout_" + count + "_ms", all, "one capture, all have run a command, no pool, 10 MB dirty");
    }

    private void fillPool(PoolSize size) {
        setup.engine().keepPool(base, size);
        Deadline deadline = minutes(1);
        while (setup.engine().poolLevel(base).husks() < size.minHusks()
                || setup.engine().poolLevel(base).warm() < size.warm()) {
            if (deadline.passed()) {
                throw deadline.exceeded("filling the pool");
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    private void emptyPool() {
        setup.engine().keepPool(base, new PoolSize(0, 0, 0));
    }

    private static Duration since(long startNanos) {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }
}
