package io.boxd.server;

import java.time.Duration;

/** What a process does until it is told to end. */
interface Serving extends AutoCloseable {
    /** Waits until somebody has closed it; true once it is closed. */
    boolean awaitEnd(Duration time) throws InterruptedException;

    @Override
    void close();
}
