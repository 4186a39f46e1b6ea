package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The monitor connection to one QEMU process.
 *
 * <p>Answers are matched by id and bounded in size: the process on the other side may have been taken
 * over by its guest. Commands may be sent from any thread; events are handed over by the one reader
 * thread in the order they came, and their listener must not block.
 */
public final class Qmp implements AutoCloseable {
    private static final int MAX_LINE_BYTES = 4 << 20;
    private static final int MAX_PENDING = 64;

    private final SocketChannel channel;
    private final Consumer<QmpEvent> listener;
    private final Map<Long, CompletableFuture<JsonNode>> pending = new ConcurrentHashMap<>();
    private final AtomicLong nextId = new AtomicLong(1);
    private final ReentrantLock writing = new ReentrantLock();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final CompletableFuture<Void> greeted = new CompletableFuture<>();

    Qmp(SocketChannel channel, Consumer<QmpEvent> listener) {
        this.channel = channel;
        this.listener = listener;
    }

    /** Connects to a socket that is already listening and leaves the negotiation mode. */
    public static Qmp connect(Path socket, Consumer<QmpEvent> listener, Deadline deadline) {
        SocketChannel channel = UnixSockets.connect(socket);
        Qmp qmp = new Qmp(channel, listener);
        Thread.ofVirtual().name("qmp-" + socket).start(qmp::readLoop);
        try {
            qmp.await(qmp.greeted, "the QEMU greeting", deadline);
            qmp.execute("qmp_capabilities", deadline);
            return qmp;
        } catch (RuntimeException e) {
            qmp.close();
            throw e;
        }
    }

    public JsonNode execute(String command, Deadline deadline) {
        return execute(command, Json.object(), deadline);
    }

    public JsonNode execute(String command, ObjectNode arguments, Deadline deadline) {
        return await(submit(command, arguments), "QEMU's " + command, deadline);
    }

    /** Sends a command without waiting for its answer. */
    CompletableFuture<JsonNode> submit(String command, ObjectNode arguments) {
        if (pending.size() >= MAX_PENDING) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "QEMU leaves too many commands unanswered");
        }
        long id = nextId.getAndIncrement();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        pending.put(id, answer);
        ObjectNode message = Json.object();
        message.put("execute", command);
        message.put("id", id);
        if (!arguments.isEmpty()) {
            message.set("arguments", arguments);
        }
        try {
            write((Json.write(message) + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            pending.remove(id);
            throw gone(e);
        }
        if (ended.isDone()) {
            answer.completeExceptionally(gone(null));
        }
        return answer;
    }

    <T> T await(CompletableFuture<T> answer, String what, Deadline deadline) {
        try {
            return answer.get(deadline.leftNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw deadline.exceeded(what);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BoxdException known) {
                throw new BoxdException(known.code(), what + ": " + known.getMessage(), known);
            }
            throw new BoxdException(ErrorCode.INTERNAL, what + " failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, what + " was interrupted", e);
        }
    }

    /** Runs the action once the connection is gone, which is when the process is; it must not block. */
    void onEnd(Runnable action) {
        var _ = ended.thenRun(action);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot close a QEMU monitor", e);
        }
    }

    private void write(byte[] bytes) throws IOException {
        writing.lock();
        try {
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        } finally {
            writing.unlock();
        }
    }

    private void readLoop() {
        try {
            LineReader lines = new LineReader(channel, MAX_LINE_BYTES);
            for (String line = lines.next(); line != null; line = lines.next()) {
                receive(line);
            }
        } catch (IOException | RuntimeException e) {
            // Whatever it was, the monitor cannot be trusted any more: end it, and every waiter learns so.
            close();
        } finally {
            BoxdException gone = gone(null);
            ended.complete(null);
            greeted.completeExceptionally(gone);
            pending.values().forEach(answer -> answer.completeExceptionally(gone));
        }
    }

    /** Takes one line of the monitor; throws when it is none that a monitor sends. */
    void receive(String line) {
        JsonNode message = Json.parse(line);
        if (message.has("event")) {
            listener.accept(new QmpEvent(message.path("event").asString(""), message.path("data")));
        } else if (message.has("QMP")) {
            greeted.complete(null);
        } else {
            CompletableFuture<JsonNode> answer =
                    pending.remove(message.path("id").asLong(-1));
            if (answer == null) {
                return;
            }
            if (message.has("error")) {
                String reason = message.path("error").path("desc").asString("no reason given");
                answer.completeExceptionally(new BoxdException(ErrorCode.INTERNAL, Printable.of(reason)));
            } else {
                answer.complete(message.path("return"));
            }
        }
    }

    private static BoxdException gone(@Nullable Throwable cause) {
        return new BoxdException(ErrorCode.UNAVAILABLE, "the machine's QEMU process has ended", cause);
    }
}
