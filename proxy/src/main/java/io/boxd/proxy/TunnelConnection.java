package io.boxd.proxy;

import io.boxd.control.BoxVisit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A visitor's connection that has changed to another protocol, such as WebSocket: bytes pass both ways, unread, each way
 * as fast as its end takes them. While nothing passes its box may sleep.
 */
final class TunnelConnection extends AbstractConnection implements Connection.UpgradeTo {
    private static final Logger LOG = LoggerFactory.getLogger(TunnelConnection.class);

    private final BoxLine line;
    private final BoxVisit visit;
    private final Watch watch;
    private final Progress progress = new Progress();
    private final AtomicBoolean ended = new AtomicBoolean();
    private ByteBuffer early = BufferUtil.EMPTY_BUFFER;

    private TunnelConnection(EndPoint endPoint, Request request, BoxLine line, BoxVisit visit, Watch watch) {
        super(endPoint, request.getComponents().getExecutor());
        this.line = line;
        this.visit = visit;
        this.watch = watch;
    }

    /** Becomes the connection of this request once its answer has been sent. */
    static void take(Request request, BoxLine line, BoxVisit visit, Watch watch) {
        EndPoint endPoint = request.getTunnelSupport().getEndPoint();
        request.setAttribute(
                HttpStream.UPGRADE_CONNECTION_ATTRIBUTE, new TunnelConnection(endPoint, request, line, visit, watch));
    }

    @Override
    public void onUpgradeTo(ByteBuffer buffer) {
        early = ByteBuffer.wrap(BufferUtil.toArray(buffer));
    }

    @Override
    public void onOpen() {
        super.onOpen();
        getEndPoint().setIdleTimeout(ProxyLimits.TUNNEL.toMillis());
        progress.patience(ProxyLimits.TUNNEL);
        watch.begin(progress, this::end);
        visit.rest();
        Thread.ofVirtual().name("tunnel-in").start(this::inwards);
        Thread.ofVirtual().name("tunnel-out").start(this::outwards);
    }

    private void inwards() {
        byte[] piece = new byte[ProxyLimits.BUFFER_BYTES];
        pass(() -> fill(piece), count -> {
            line.output().write(piece, 0, count);
            line.output().flush();
        });
        try {
            line.output().close();
        } catch (IOException e) {
            end();
        }
    }

    private void outwards() {
        byte[] piece = new byte[ProxyLimits.BUFFER_BYTES];
        pass(() -> line.input().read(piece, 0, piece.length), count -> {
            try (Blocker.Callback written = Blocker.callback()) {
                getEndPoint().write(written, ByteBuffer.wrap(piece, 0, count));
                written.block();
            }
        });
        // Whoever has nothing more to say over a changed protocol has ended it.
        end();
    }

    /** Fetches bytes, or -1 at the end. */
    private interface Source {
        int fetch() throws IOException;
    }

    /** Delivers what was fetched. */
    private interface Sink {
        void deliver(int count) throws IOException;
    }

    private void pass(Source source, Sink sink) {
        try {
            int count = source.fetch();
            while (count >= 0) {
                progress.moved();
                sink.deliver(count);
                count = source.fetch();
            }
        } catch (IOException | RuntimeException e) {
            LOG.debug("a tunnel broke off", e);
            end();
        }
    }

    private int fill(byte[] piece) throws IOException {
        int early = takeEarly(piece);
        if (early > 0) {
            return early;
        }
        ByteBuffer buffer = BufferUtil.toBuffer(piece);
        BufferUtil.clear(buffer);
        while (true) {
            int count = getEndPoint().fill(buffer);
            if (count != 0) {
                return count;
            }
            try (Blocker.Callback ready = Blocker.callback()) {
                fillInterested(ready);
                ready.block();
            }
        }
    }

    /** What the visitor has sent before it was told that the protocol has changed. */
    private int takeEarly(byte[] piece) {
        int count = Math.min(early.remaining(), piece.length);
        early.get(piece, 0, count);
        return count;
    }

    private void end() {
        if (ended.compareAndSet(false, true)) {
            watch.end(progress);
            line.close();
            visit.close();
            close();
        }
    }

    @Override
    public void onFillable() {
        // Whoever reads waits for itself.
    }

    @Override
    public void onClose(@Nullable Throwable cause) {
        super.onClose(cause);
        end();
    }
}
