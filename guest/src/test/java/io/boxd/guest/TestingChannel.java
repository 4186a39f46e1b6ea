package io.boxd.guest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** A channel that can be taken away from its user without being closed, as a fork does it. */
final class TestingChannel implements ByteChannel {
    private final SocketChannel channel;
    private final Selector selector;
    private volatile boolean detached;

    TestingChannel(SocketChannel channel) throws IOException {
        this.channel = channel;
        this.selector = Selector.open();
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        while (true) {
            int count = take(target);
            if (count != 0) {
                return count;
            }
            awaitBytes();
        }
    }

    /** Not while it is being taken away: from then on reading would wait, and nobody else could have the channel. */
    private synchronized int take(ByteBuffer target) throws IOException {
        if (detached) {
            throw new AsynchronousCloseException();
        }
        return channel.read(target);
    }

    private void awaitBytes() throws IOException {
        try {
            selector.select();
            selector.selectedKeys().clear();
        } catch (ClosedSelectorException e) {
            // Detached while we waited, which the next look finds.
            return;
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        if (detached) {
            throw new AsynchronousCloseException();
        }
        int count = channel.write(source);
        if (count == 0) {
            Thread.onSpinWait();
        }
        return count;
    }

    /** Leaves the channel to the next user, in the middle of whatever was going on. */
    void detach() throws IOException {
        synchronized (this) {
            detached = true;
        }
        selector.close();
        channel.configureBlocking(true);
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen() && !detached;
    }

    @Override
    public void close() {
        // Its owner is the test.
        selector.wakeup();
    }
}
