package io.boxd.cli;

import io.boxd.console.Collected;
import java.nio.ByteBuffer;

/** Collects what a stream says. */
record Collecting(Collected collected) implements Session.Listener {
    @Override
    public void started(StreamMessage.Started started) {
        collected.started(started.execution(), started.snapshot());
    }

    @Override
    public void output(int channel, ByteBuffer bytes) {
        collected.output(channel == StreamMessage.STDERR, bytes);
    }

    @Override
    public void skipped(long bytes) {
        collected.skipped();
    }
}
