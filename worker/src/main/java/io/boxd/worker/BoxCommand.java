package io.boxd.worker;

import io.boxd.vmm.MachineSize;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A change of the record of boxes; ids and times come with it, so applying it needs nothing but the record. */
sealed interface BoxCommand {
    /** These boxes are to be; takes their names, all or none, as far as all allowances allow it. */
    record Reserve(List<BoxRow> boxes, List<Allowance> allowances, Optional<RequestKey> key) implements BoxCommand {
        public Reserve {
            boxes = List.copyOf(boxes);
            allowances = List.copyOf(allowances);
        }

        static Reserve of(List<BoxRow> boxes) {
            return new Reserve(boxes, List.of(), Optional.empty());
        }
    }

    /**
     * These boxes have their machines.
     *
     * @param addresses of each, at which it is reached while it sleeps
     */
    record Made(List<String> boxes, List<List<String>> addresses, long createMillis, long readyMillis, Instant at)
            implements BoxCommand {
        public Made {
            boxes = List.copyOf(boxes);
            addresses = List.copyOf(addresses);
        }

        static Made of(List<String> boxes, long createMillis, long readyMillis, Instant at) {
            return new Made(boxes, boxes.stream().map(_ -> List.<String>of()).toList(), createMillis, readyMillis, at);
        }
    }

    /** A box has another standing. */
    record Settle(String box, Standing standing, String reason, Instant at) implements BoxCommand {}

    /** A box has another name. */
    record Rename(String box, String name) implements BoxCommand {}

    /** A box has these labels, and no others. */
    record Label(String box, Map<String, String> labels) implements BoxCommand {
        public Label {
            labels = Map.copyOf(labels);
        }
    }

    /** A box goes to sleep by other rules. */
    record Sleep(String box, SleepRules rules) implements BoxCommand {}

    /** A box is reached by its names in another way. */
    record Admit(String box, Doorway doorway) implements BoxCommand {}

    /** A box has another size, as far as all allowances allow it. */
    record Resize(String box, MachineSize size, List<Allowance> allowances) implements BoxCommand {
        public Resize {
            allowances = List.copyOf(allowances);
        }
    }

    /** A box that sleeps is reached at these addresses. */
    record Reach(String box, List<String> addresses) implements BoxCommand {
        public Reach {
            addresses = List.copyOf(addresses);
        }
    }

    /** Somebody outside wants a box awake. */
    record Busy(String box, Instant until) implements BoxCommand {}

    /** Whether boxes are to run again when the next server starts. */
    record Remember(List<String> boxes, boolean ran) implements BoxCommand {
        public Remember {
            boxes = List.copyOf(boxes);
        }
    }

    /** A snapshot is kept, if all allowances allow one more. */
    record Keep(KeptRow snapshot, List<Allowance> allowances, Optional<RequestKey> key) implements BoxCommand {
        public Keep {
            allowances = List.copyOf(allowances);
        }

        static Keep of(KeptRow snapshot) {
            return new Keep(snapshot, List.of(), Optional.empty());
        }
    }

    /** Nobody wants these snapshots any more. */
    record Forget(List<String> snapshots) implements BoxCommand {
        public Forget {
            snapshots = List.copyOf(snapshots);
        }
    }

    /** A box is about to become something else; what it leaves is kept. */
    record Intend(String box, Intent intent, KeptRow left) implements BoxCommand {}

    /** It has become that. */
    record Become(String box, Optional<String> cameFrom, MachineSize size) implements BoxCommand {}

    /** It stays what it was, and what was kept for that is not needed. */
    record Abandon(String box) implements BoxCommand {}

    /** These boxes are being destroyed. */
    record Doom(List<String> boxes, Instant at) implements BoxCommand {
        public Doom {
            boxes = List.copyOf(boxes);
        }
    }

    /** These boxes are gone, and their snapshots but for those with a label. */
    record Remove(List<String> boxes) implements BoxCommand {
        public Remove {
            boxes = List.copyOf(boxes);
        }
    }

    /** A server has started while the host runs under this boot id. */
    record HostSeen(String boot) implements BoxCommand {}

    /** The boxes of one owner are another's. */
    record Adopt(String from, String to) implements BoxCommand {}

    /** Rows as an earlier boxd had written them elsewhere; the same ones may come again. */
    record Import(List<BoxRow> boxes, List<KeptRow> snapshots, String boot) implements BoxCommand {
        public Import {
            boxes = List.copyOf(boxes);
            snapshots = List.copyOf(snapshots);
        }
    }
}
