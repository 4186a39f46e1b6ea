package io.boxd.control;

/** Requests that are remembered only in memory. */
public final class TestingRequests implements RequestRecord {
    private final RequestRows rows = new RequestRows();

    @Override
    public synchronized Remembered apply(RequestCommand command) {
        RequestRows.Change change = rows.decide(command);
        rows.apply(change);
        return Remembered.of(change);
    }
}
