package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** A door's connection to control: made when somebody needs it, and made again when it was lost. */
final class Connection implements AutoCloseable {
    private static final String[] PROTOCOLS = {"TLSv1.3"};

    private final URI address;
    private final HttpClient client;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Link link;
    private @Nullable BoxdException failure;
    private long failedNanos;
    private boolean closed;

    /** @param context of this side, which believes the authority of control and no other */
    Connection(String host, int port, SSLContext context) {
        this.address = URI.create(
                "wss://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port + InsideServer.PATH);
        SSLParameters parameters = new SSLParameters();
        parameters.setProtocols(PROTOCOLS);
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(InsideLimits.CONNECTING)
                .sslContext(context)
                .sslParameters(parameters)
                .executor(Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("to-control-", 0).factory()))
                .build();
    }

    /** Begins a conversation; nothing was asked if this throws. */
    Conversation open() {
        Link usable = link();
        try {
            return usable.open();
        } catch (BoxdException e) {
            if (!usable.isLost()) {
                throw e;
            }
            return link().open(); // control was away for a moment only
        }
    }

    private Link link() {
        lock.lock();
        try {
            Link known = link;
            if (known != null && !known.isLost()) {
                return known;
            }
            if (closed) {
                throw new BoxdException(ErrorCode.UNAVAILABLE, "this door is being closed");
            }
            BoxdException last = failure;
            if (last != null && System.nanoTime() - failedNanos < InsideLimits.FAILED.toNanos()) {
                throw last;
            }
            Link fresh = connect();
            link = fresh;
            failure = null;
            return fresh;
        } catch (BoxdException e) {
            if (e != failure) {
                failure = e;
                failedNanos = System.nanoTime();
            }
            throw e;
        } finally {
            lock.unlock();
        }
    }

    private Link connect() {
        ControlSocket socket = new ControlSocket();
        CompletableFuture<WebSocket> opening = client.newWebSocketBuilder()
                .connectTimeout(InsideLimits.CONNECTING)
                .subprotocols(InsideServer.PROTOCOL)
                .buildAsync(address, socket);
        try {
            opening.get(InsideLimits.CONNECTING.toNanos(), TimeUnit.NANOSECONDS);
            return socket.link();
        } catch (ExecutionException e) {
            throw away(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            socket.abandon();
            throw away(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw away(e);
        }
    }

    private BoxdException away(Throwable cause) {
        return new BoxdException(
                ErrorCode.UNAVAILABLE,
                "this door does not reach control at " + address.getAuthority() + ": " + reason(cause),
                "Does it run (boxd serve --roles=control,worker), and is this door's pass one of its own (boxd pass)?"
                        + " The door goes on by itself when control is there again.",
                cause);
    }

    private static String reason(Throwable cause) {
        String message = cause.getMessage();
        return message == null || message.isBlank() ? cause.getClass().getSimpleName() : message;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            Link known = link;
            if (known != null) {
                known.lose("this door is being closed", null);
            }
        } finally {
            lock.unlock();
        }
        client.shutdownNow();
    }
}
