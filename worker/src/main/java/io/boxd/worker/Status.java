package io.boxd.worker;

import java.util.Locale;

/**
 * Where a box is in its life.
 *
 * <pre>
 *   STARTING → RUNNING ⇄ STANDBY → HIBERNATED
 *   STOPPED: only its disk is left, the next start boots from it · FAILED: the same, not by anybody's wish
 * </pre>
 */
public enum Status {
    STARTING,
    RUNNING,
    STANDBY,
    HIBERNATED,
    STOPPED,
    FAILED,
    DESTROYED;

    /** The stable spelling that users and programs see. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
