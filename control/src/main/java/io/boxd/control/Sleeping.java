package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.time.Duration;

/** A look at a box that sleeps: there is nothing to see, and nobody is woken for it. */
record Sleeping(String box) implements BoxVisit {
    @Override
    public boolean asleep() {
        return true;
    }

    @Override
    public int port() {
        return 0;
    }

    @Override
    public BoxConnection connect(Duration limit) {
        throw new BoxdException(ErrorCode.WRONG_STATE, "the box sleeps");
    }

    @Override
    public void rest() {}

    @Override
    public void close() {}
}
