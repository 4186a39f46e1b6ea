package io.boxd.bench;

import io.boxd.common.Deadline;
import io.boxd.ledger.Ledger;
import io.boxd.linux.FileOwner;
import io.boxd.vmm.MachineSize;
import io.boxd.worker.Admission;
import io.boxd.worker.BoxBook;
import io.boxd.worker.BoxWitness;
import io.boxd.worker.CheckpointRule;
import io.boxd.worker.ForkOrder;
import io.boxd.worker.Forked;
import io.boxd.worker.HostBoxes;
import io.boxd.worker.NewBox;
import io.boxd.worker.Origination;
import io.boxd.worker.SleepRules;
import io.boxd.worker.WorkerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a fork loses to decisions, locks and records: all of it without what the engine worked, in the same forks. */
final class ControlFigures {
    private static final String SOURCE = "source";
    private static final MachineSize SIZE = new MachineSize(1, 256 * MachineSize.MIB, 256 * MachineSize.MIB);
    private static final int WARM_UP = 5;
    private static final int DECISIONS_BEFORE = 1000;

    private final Setup setup;
    private final Report report;
    private final int rounds;

    ControlFigures(Setup setup, Report report, int rounds) {
        this.setup = setup;
        this.report = report;
        this.rounds = rounds;
    }

    void measure() throws IOException {
        System.err.println("fork through the log");
        Path home = Files.createTempDirectory("boxd-bench-");
        BoxBook book = new BoxBook();
        try (Ledger ledger = Ledger.open(WorkerConfig.ledger(home), List.of(book), minutes(5));
                HostBoxes boxes = HostBoxes.open(
                        config(home),
                        ledger,
                        book,
                        Optional.empty(),
                        Admission.unlimited(),
                        BoxWitness.none(),
                        minutes(5))) {
            try {
                var _ = boxes.create(source(), minutes(5));
                decide(boxes);
                forks(boxes);
            } finally {
                boxes.destroy(boxes.list().stream().map(box -> box.id()).toList(), false, minutes(5));
            }
        } finally {
            FileOwner.deleteTree(home);
        }
    }

    private WorkerConfig config(Path home) {
        return WorkerConfig.of(
                setup.config(home), setup.agent(), setup.engine().host().accelerator(), SIZE);
    }

    private static Deadline minutes(int minutes) {
        return Deadline.in(Duration.ofMinutes(minutes));
    }

    private static NewBox source() {
        return new NewBox(
                SOURCE,
                new Origination.FromImage("tiny"),
                Optional.empty(),
                Map.of(),
                Map.of(),
                new SleepRules(Duration.ZERO, Duration.ZERO),
                new CheckpointRule.Off(),
                Optional.empty(),
                true);
    }

    /** A server that has run for a while has decided so much that this is compiled. */
    private static void decide(HostBoxes boxes) {
        for (int i = 0; i < DECISIONS_BEFORE; i++) {
            var _ = boxes.setSleep(SOURCE, new SleepRules(Duration.ZERO, Duration.ofHours(i)));
        }
    }

    private void forks(HostBoxes boxes) {
        Samples control = new Samples();
        Samples engine = new Samples();
        for (int i = -WARM_UP; i < rounds; i++) {
            ForkOrder order = new ForkOrder(List.of("copy"), false, Map.of());
            long start = System.nanoTime();
            Forked forked = boxes.fork(SOURCE, order, minutes(5));
            Duration whole = Duration.ofNanos(System.nanoTime() - start);
            if (i >= 0) {
                control.add(whole.minus(forked.engine()));
                engine.add(forked.engine());
            }
            boxes.destroy(List.of("copy"), false, minutes(5));
        }
        report.median("fork_engine_ms", engine, "the engine's part of a fork of a tiny box");
        report.median(
                "fork_control_ms",
                control,
                "≤ 10",
                "the rest of the same forks: two decisions in the log and all else");
        report.figure("fork_control_p90_ms", control.percentile(90), control.count(), "", "the same");
    }
}
