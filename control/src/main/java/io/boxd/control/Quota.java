package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** How many boxes there may be at once; those that are being made count, each once. */
final class Quota {
    private final Boxes boxes;
    private final int limit;
    private final Set<String> beingMade = new HashSet<>();

    Quota(Boxes boxes, int limit) {
        this.boxes = boxes;
        this.limit = limit;
    }

    /** Room for boxes with these names until it is closed; by then they exist, or will not. */
    Room take(List<String> names) {
        synchronized (beingMade) {
            // In here, or a box that came to be since the look and has just left those being made would not count.
            Set<String> all = boxes.list().stream().map(Box::name).collect(Collectors.toCollection(HashSet::new));
            all.addAll(beingMade);
            int used = all.size();
            all.addAll(names);
            if (all.size() > limit) {
                throw exceeded(used, names.size());
            }
            beingMade.addAll(names);
        }
        return () -> {
            synchronized (beingMade) {
                names.forEach(beingMade::remove);
            }
        };
    }

    private BoxdException exceeded(int used, int wanted) {
        return new BoxdException(
                ErrorCode.QUOTA_EXCEEDED,
                "%d more would be too many: this server allows %d boxes, and there are %d"
                        .formatted(wanted, limit, used),
                "Destroy some (boxd list --all shows them), or ask whoever runs this server to raise quota_boxes"
                        + " (BOXD_QUOTA_BOXES).",
                null);
    }

    /** What was taken. */
    interface Room extends AutoCloseable {
        @Override
        void close();
    }
}
