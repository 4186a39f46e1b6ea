package io.boxd.worker;

import io.boxd.vmm.Engine;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What everything that is done to boxes needs.
 *
 * @param ways how boxes are reached while they sleep; there are none on a host without network
 * @param witness hears of what happens to boxes
 * @param closing set when this server lets go of its machines, whose ends mean nothing from then on
 */
record Workshop(
        WorkerConfig config,
        Engine engine,
        BoxRecord record,
        Images images,
        Ways ways,
        Agenda agenda,
        BoxWitness witness,
        AtomicBoolean closing) {
    private static final System.Logger LOG = System.getLogger(Workshop.class.getName());

    /** Something that nobody waits for has failed. */
    static void warn(String what, Throwable cause) {
        LOG.log(System.Logger.Level.WARNING, what, cause);
    }
}
