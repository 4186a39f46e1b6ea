package io.boxd.worker;

/**
 * What is written down of where a box is in its life.
 *
 * <p>Whether a living one runs, stands by or is hibernated is not: the engine's record, the processes of
 * this host and the snapshots on disk say that.
 */
enum Standing {
    /** Being made, and nobody was told: if the server ends, it is undone. */
    RESERVED,
    /** Being made, and somebody was promised it: if the server ends, the next one makes it. */
    PROMISED,
    /** Has a machine, or a memory to wake from. */
    LIVE,
    /** Being booted from its disk: if the server ends, the next one does so. */
    RESTARTING,
    /** Lost its memory in standby. */
    DORMANT,
    STOPPED,
    FAILED,
    /** Being destroyed: if the server ends, the next one goes on with that. */
    DOOMED
}
