package io.boxd.inside;

import java.io.IOException;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A door's end of its WebSocket to control. */
final class ControlSocket implements WebSocket.Listener {
    private static final int LARGEST = InsideLimits.FRAME_BYTES * 2;

    private final ByteBuffer unfinished = ByteBuffer.allocate(LARGEST);
    private volatile @Nullable Link link;
    private volatile boolean abandoned;

    /** Nobody waits for it any more; should it still open, it ends. */
    void abandon() {
        abandoned = true;
    }

    /** Once it is open. */
    Link link() {
        return Objects.requireNonNull(link);
    }

    @Override
    public void onOpen(WebSocket socket) {
        link = Link.asking(new SocketWire(socket));
        if (abandoned) {
            link().lose("it opened too late", null);
            return;
        }
        socket.request(Long.MAX_VALUE); // windows bound what can come
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
        if (data.remaining() > unfinished.remaining()) {
            link().lose("it sends too large a message", null);
            return null;
        }
        unfinished.put(data);
        if (last) {
            unfinished.flip();
            link().received(unfinished);
            unfinished.clear();
        }
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
        link().lose("it sends text", null);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
        link().lose("control has closed it", null);
        return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable cause) {
        link().lose(cause.toString(), cause);
    }

    private record SocketWire(WebSocket socket) implements Wire {
        @Override
        public void send(ByteBuffer message) throws IOException {
            try {
                socket.sendBinary(message, true).get(InsideLimits.SENDING.toNanos(), TimeUnit.NANOSECONDS);
            } catch (ExecutionException | TimeoutException e) {
                throw new IOException("control does not read", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("sending was interrupted", e);
            }
        }

        @Override
        public void cut() {
            socket.abort();
        }
    }
}
