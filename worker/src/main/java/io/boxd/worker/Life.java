package io.boxd.worker;

/** Where a box is in its life, as its host sees it; {@link Status} is what users see of it. */
enum Life {
    /** Being made, or made again: somebody is at it. */
    STARTING(Status.STARTING),
    RUNNING(Status.RUNNING),
    STANDBY(Status.STANDBY),
    HIBERNATED(Status.HIBERNATED),
    /** Lost its memory while it stood by; boots from its disk when it is used. */
    DORMANT(Status.STOPPED),
    STOPPED(Status.STOPPED),
    FAILED(Status.FAILED),
    DESTROYED(Status.DESTROYED);

    private final Status status;

    Life(Status status) {
        this.status = status;
    }

    Status status() {
        return status;
    }

    /** Whether it has a machine. */
    boolean hasMachine() {
        return this == RUNNING || this == STANDBY;
    }
}
