package io.boxd.control;

/** What must be remembered of requests that may be repeated, whatever ends the server. */
public interface RequestRecord {
    /**
     * A request that is remembered.
     *
     * @param before whether it had been begun before
     */
    record Remembered(RequestRow row, boolean before) {
        static Remembered of(RequestRows.Change change) {
            return new Remembered(change.row(), change.before());
        }
    }

    /** Applies a command, or throws and changes nothing; it lasts when this returns. */
    Remembered apply(RequestCommand command);
}
