package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.meter.MeterBook;
import io.boxd.network.Traffic;
import io.boxd.vmm.Machine;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** What meters are made of. */
record Gauges(MeterBook book, Function<Machine, Optional<Traffic>> traffic, Map<String, Duration> left) {
    /** Meters of an instance, beside its record, which is closed if they cannot be opened. */
    static MeterBook openBook(WorkerConfig config, SqliteRecord file) {
        try {
            return MeterBook.open(config.meters());
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Of a wire that is there, or of one that went with its machine. */
    static Optional<Traffic> traffic(Ways ways, Optional<MachineWires> wires, Machine machine) {
        try {
            return ways.traffic(machine)
                    .or(() -> wires.flatMap(all -> machine.uplink().flatMap(uplink -> all.passed(uplink.id()))));
        } catch (BoxdException e) {
            // It goes just now; then it is remembered, and read the next time.
            return wires.flatMap(all -> machine.uplink().flatMap(uplink -> all.passed(uplink.id())));
        }
    }
}
