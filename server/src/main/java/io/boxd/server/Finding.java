package io.boxd.server;

/**
 * What was found out about one thing that boxd needs of a host.
 *
 * @param detail what is there, or what is not
 * @param remedy what to do about it; empty if nothing is to be done
 */
record Finding(String what, State state, String detail, String remedy) {
    /** How it stands. */
    enum State {
        FOUND,
        /** boxd works, but not as well as it could. */
        DEGRADED,
        /** boxd does not work without. */
        MISSING
    }

    static Finding found(String what, String detail) {
        return new Finding(what, State.FOUND, detail, "");
    }

    static Finding degraded(String what, String detail, String remedy) {
        return new Finding(what, State.DEGRADED, detail, remedy);
    }

    static Finding missing(String what, String detail, String remedy) {
        return new Finding(what, State.MISSING, detail, remedy);
    }
}
