package io.boxd.ledger;

/**
 * A point of the log, and what the commands up to it came to.
 *
 * @param index of the last command, or -1 before the first
 * @param term in which that was written
 * @param rows the sum of all rows of the state then ({@link Chain#ofRow})
 */
record Position(long index, long term, Chain chain, long rows) {
    static final long NONE = -1;

    static Position beginning() {
        return new Position(NONE, 0, Chain.beginning(), 0);
    }
}
