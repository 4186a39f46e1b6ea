package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Shortens the chain of layers of machines that were copied many times.
 *
 * <p>A machine's own QEMU, jailed as it is, copies what the layers hold into one, in the background and slowly; whoever
 * wants to copy the machine meanwhile goes first, and it is tried again later.
 */
final class Flattener {
    private static final System.Logger LOG = System.getLogger(Flattener.class.getName());

    /** Each layer costs every first read a look-up; below this nobody notices. */
    static final int LONGEST_CHAIN = 16;

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
    private static final Duration LONGEST_JOB = Duration.ofMinutes(30);

    private final Quiet quiet;
    private final MachineBook book;
    private final int longestChain;
    private final Set<String> working = ConcurrentHashMap.newKeySet();

    Flattener(Quiet quiet, MachineBook book, int longestChain) {
        this.quiet = quiet;
        this.book = book;
        this.longestChain = longestChain;
    }

    /** Begins to shorten the machine's chain if it has become too long; nobody waits for it. */
    void consider(Machine machine) {
        if (isLong(machine) && working.add(machine.id())) {
            Thread.ofVirtual().name("flatten-" + machine.id()).start(() -> {
                try {
                    flatten(machine);
                } finally {
                    working.remove(machine.id());
                }
            });
        }
    }

    private boolean isLong(Machine machine) {
        return machine.layers().size() - rootLayers(machine) > longestChain;
    }

    private static int rootLayers(Machine machine) {
        return machine.base().root().layers().size();
    }

    /** Each try adds a layer itself, so those that are broken off are made ever more seldom. */
    private void flatten(Machine machine) {
        try {
            Duration pause = FIRST_PAUSE;
            while (isLong(machine) && !flattened(machine)) {
                if (ends(machine, pause)) {
                    return;
                }
                pause = pause.multipliedBy(2);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (BoxdException | ExecutionException | TimeoutException e) {
            if (!machine.ended().isDone()) {
                LOG.log(System.Logger.Level.WARNING, "the disk of a machine keeps its many layers", e);
            }
        }
    }

    /** False if it gave way to a copy, or could not be done. */
    private boolean flattened(Machine machine) throws InterruptedException, ExecutionException, TimeoutException {
        quiet.await();
        int keep = rootLayers(machine);
        @Nullable
        CompletableFuture<Boolean> job =
                machine.exclusively(() -> machine.disk().beginFlattening(keep, Deadline.inSeconds(10)));
        if (job == null || !job.get(LONGEST_JOB.toMillis(), TimeUnit.MILLISECONDS)) {
            return false;
        }
        machine.disk().syncGathered();
        List<Layer> dropped = machine.exclusively(() -> machine.disk().finishFlattening(keep));
        book.changed(List.of(machine));
        machine.disk().releaseDropped(dropped);
        return true;
    }

    private static boolean ends(Machine machine, Duration pause) throws InterruptedException, ExecutionException {
        try {
            var _ = machine.ended().get(pause.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }
}
