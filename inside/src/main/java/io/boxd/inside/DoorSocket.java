package io.boxd.inside;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.jspecify.annotations.Nullable;

/** Control's end of a door's WebSocket. */
public final class DoorSocket implements Session.Listener {
    private final Visits visits;
    private volatile @Nullable Session session;
    private volatile @Nullable Link link;

    DoorSocket(Visits visits) {
        this.visits = visits;
    }

    @Override
    public void onWebSocketOpen(Session opened) {
        session = opened;
        link = Link.answering(new SessionWire(opened), visits::serve);
        opened.demand();
    }

    @Override
    public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
        Link receiver = link;
        if (receiver != null) {
            receiver.received(payload);
        }
        callback.succeed();
        Session open = session;
        if (open != null && open.isOpen()) {
            open.demand();
        }
    }

    @Override
    public void onWebSocketText(String text) {
        lose("it sends text", null);
    }

    @Override
    public void onWebSocketError(Throwable cause) {
        lose(cause.toString(), cause);
    }

    @Override
    public void onWebSocketClose(int status, String reason, Callback callback) {
        lose("the door has left", null);
        callback.succeed();
    }

    private void lose(String why, @Nullable Throwable cause) {
        Link receiver = link;
        if (receiver != null) {
            receiver.lose(why, cause);
        }
    }

    private record SessionWire(Session session) implements Wire {
        @Override
        public void send(ByteBuffer message) throws IOException {
            try {
                Callback.Completable.with(callback -> session.sendBinary(message, callback))
                        .get(InsideLimits.SENDING.toNanos(), TimeUnit.NANOSECONDS);
            } catch (ExecutionException | TimeoutException e) {
                throw new IOException("the door does not read", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("sending was interrupted", e);
            }
        }

        @Override
        public void cut() {
            session.disconnect();
        }
    }
}
