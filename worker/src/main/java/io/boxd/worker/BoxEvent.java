package io.boxd.worker;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Something that happened to a box.
 *
 * @param whose the box was then; nobody's, if it was gone before
 * @param status afterwards, where it is about that
 * @param because for people; what a guest has said in it is printable
 * @param details ids, names and sizes; never commands or variables
 */
public record BoxEvent(
        Kind kind,
        String box,
        String name,
        Optional<Whose> whose,
        Instant at,
        Optional<Status> status,
        String because,
        Map<String, Object> details) {
    public BoxEvent {
        details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
    }

    /** Whom a box concerns. */
    public record Whose(String owner, Sharing sharing, Map<String, String> labels) {
        public Whose {
            labels = Map.copyOf(labels);
        }

        static Whose of(BoxRow row) {
            return new Whose(
                    row.owner(), row.settings().sharing(), row.settings().labels());
        }
    }

    /** What can happen to a box. */
    public enum Kind {
        /** Its name is taken, and it is being made. */
        CREATED,
        /** The same for a copy of another. */
        FORKED,
        /** It can run commands for the first time. */
        READY,
        PAUSED,
        RESUMED,
        HIBERNATED,
        WOKEN,
        STOPPED,
        STARTED,
        REBOOTED,
        FAILED,
        RENAMED,
        LABELLED,
        RESIZED,
        /** It goes to sleep by other rules. */
        IDLE_CHANGED,
        /** It is reached by its names in another way. */
        DOORWAY_CHANGED,
        SNAPSHOT_KEPT,
        SNAPSHOT_FORGOTTEN,
        ROLLED_BACK,
        /** It took the state of its fork. */
        PROMOTED,
        /** Its time to live is over. */
        EXPIRED,
        DESTROYED,
        /** A server that has just started finds it elsewhere than the last one has told. */
        NOTICED;

        /** The stable spelling that users and programs see. */
        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
