package io.boxd.proxy;

import io.boxd.control.BoxVisit;
import java.io.IOException;
import java.io.OutputStream;
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

/**
 * A visitor's connection that has changed to another protocol, such as WebSocket: bytes pass both ways, unread, each way
 * as fast as its end takes them. While nothing passes its box may sleep.
 */
final class TunnelConnection extends AbstractConnection implements Connection.UpgradeTo {
    private final BoxLine line;
    private final BoxVisit visit;
    private final Watch watch;
    private final Progress progress = new Progress();
    private final AtomicBoolean ended = new AtomicBoolean();
    private @Nullable ByteBuffer ahead;

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
                HttpStream.UPGRADE_CONNECTION_ATTRIBUTE,
                new TunnelConnection(endPoint, request, line, visit, watch));
    }

    @Override
    public void onUpgradeTo(ByteBuffer buffer) {
        ahead = BufferUtil.copy(buffer);
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
        try {
            OutputStream out = line.output();
            ByteBuffer buffer = ByteBuffer.allocate(ProxyLimits.BUFFER_BYTES);
            ByteBuffer first = ahead;
            if (first != null && first.hasRemaining()) {
                out.write(first.array(), first.arrayOffset() + first.position(), first.remaining());
                out.flush();
            }
            BufferUtil.clear(buffer);
            int count = fill(buffer);
            while (count >= 0) {
                progress.moved();
                out.write(buffer.array(), buffer.position(), buffer.remaining());
                out.flush();
                BufferUtil.clear(buffer);
                count = fill(buffer);
            }
            out.close();
        } catch (IOException e) {
            end();
        }
    }

    private int fill(ByteBuffer buffer) throws IOException {
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

    private void outwards() {
        try {
            byte[] piece = new byte[ProxyLimits.BUFFER_BYTES];
            int count = line.input().read(piece, 0, piece.length);
            while (count >= 0) {
                progress.moved();
                try (Blocker.Callback written = Blocker.callback()) {
                    getEndPoint().write(written, ByteBuffer.wrap(piece, 0, count));
                    written.block();
                }
                count = line.input().read(piece, 0, piece.length);
            }
            // Whoever has nothing more to say over a changed protocol has ended it.
            getEndPoint().shutdownOutput();
        } catch (IOException e) {
            end();
            return;
        }
        end();
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
