package io.boxd.worker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Lets boxes be awake as far as {@link Admission} allows it; those who ask at the same moment are counted one by one.
 */
final class Admissions {
    private final Admission admission;
    private final Roster roster;

    /** Those that were let in and cannot be seen to be awake yet. */
    private final Map<String, Claim> entering = new HashMap<>();

    Admissions(Admission admission, Roster roster) {
        this.admission = admission;
        this.roster = roster;
    }

    /** Does what wakes these, or makes them; when it is done, their lives tell whether they are awake. */
    <T> T admitted(List<Claim> more, Supplier<T> work) {
        enter(more);
        try {
            return work.get();
        } finally {
            leave(more);
        }
    }

    private synchronized void enter(List<Claim> more) {
        Map<String, Claim> awake = new HashMap<>(entering);
        for (HostedBox box : roster.all()) {
            if (box.life() == Life.RUNNING || box.life() == Life.STARTING) {
                awake.putIfAbsent(box.id(), Claim.of(box.row()));
            }
        }
        // One that wakes twice at a time, or grows, counts once.
        more.forEach(claim -> awake.remove(claim.box()));
        admission.require(new ArrayList<>(awake.values()), more);
        more.forEach(claim -> entering.put(claim.box(), claim));
    }

    private synchronized void leave(List<Claim> more) {
        more.forEach(claim -> entering.remove(claim.box()));
    }
}
