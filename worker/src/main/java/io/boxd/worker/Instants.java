package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.vmm.Engine;
import io.boxd.vmm.Snapshot;
import java.util.function.Predicate;

/** The engine's snapshots, each of which may be several kept ones and the memory of a sleeping box at once. */
final class Instants {
    private final Engine engine;
    private final BoxRecord record;
    private final Predicate<String> sleptIn;

    /** @param sleptIn whether a box would wake from it */
    Instants(Engine engine, BoxRecord record, Predicate<String> sleptIn) {
        this.engine = engine;
        this.record = record;
        this.sleptIn = sleptIn;
    }

    Snapshot require(String id) {
        return engine.findSnapshot(id)
                .orElseThrow(() -> new BoxdException(ErrorCode.NOT_FOUND, "there is no snapshot " + id + " any more"));
    }

    /** Deletes it if nobody needs it any more. */
    synchronized void release(String id) {
        if (!record.rows().keeps(id) && !sleptIn.test(id)) {
            engine.findSnapshot(id).ifPresent(engine::forget);
        }
    }

    /** The same, without anybody waiting for it. */
    void releaseSoon(String id) {
        Thread.ofVirtual().name("forget-" + id).start(() -> {
            try {
                release(id);
            } catch (RuntimeException e) {
                // The next server finds it.
                Workshop.warn("snapshot " + id + " could not be deleted", e);
            }
        });
    }
}
