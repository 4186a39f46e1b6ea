package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.console.BrokenOutputException;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Request;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One execution or log, seen through streams that may break: after a break it goes on at the byte where it was, also
 * with a server that was started anew.
 */
final class Session {
    private static final Duration RECONNECTING = Duration.ofMinutes(2);
    private static final Duration PIPE_PATIENCE = Duration.ofSeconds(2);
    private static final Duration TELL_AFTER = Duration.ofSeconds(1);
    private static final long FIRST_WAIT_MILLIS = 100;
    private static final long LONGEST_WAIT_MILLIS = 1_000;

    /** Whoever wants what the command says. */
    interface Listener {
        /** The command runs; once for each stream. */
        void started(StreamMessage.Started started);

        void output(int channel, ByteBuffer bytes) throws BrokenOutputException;

        /** So many bytes are not kept any more. */
        void skipped(long bytes);
    }

    /** Where a stream is opened, and its first message. */
    record Opening(String target, Map<String, @Nullable Object> start) {
        /** To take part in an execution from this offset on. */
        static Opening attach(String box, String execution, long offset) {
            String path = "/v1/boxes/" + Request.encode(box) + "/executions/" + Request.encode(execution) + "/attach";
            return new Opening(path, Map.of("offset", offset));
        }

        Opening with(Map<String, @Nullable Object> more) {
            Map<String, @Nullable Object> all = new LinkedHashMap<>(start);
            all.putAll(more);
            return new Opening(target, all);
        }
    }

    /** How a broken stream is opened again. */
    interface Reopening {
        Opening at(StreamMessage.Started started, long offset);
    }

    private final Servers servers;
    private final Reopening reopening;
    private final Listener listener;
    private final @Nullable InputWindow input;
    private final boolean typed;
    private final Consumer<String> notices;
    private final CountDownLatch left = new CountDownLatch(1);
    private volatile @Nullable BoxStream stream;
    /** The same once it has begun: before, nothing may be said on it. */
    private volatile @Nullable BoxStream begun;

    private StreamMessage.@Nullable Started started;
    private long offset;

    Session(
            Servers servers,
            Reopening reopening,
            Listener listener,
            @Nullable InputWindow input,
            boolean typed,
            Consumer<String> notices) {
        this.servers = servers;
        this.reopening = reopening;
        this.listener = listener;
        this.input = input;
        this.typed = typed;
        this.notices = notices;
    }

    /** Runs to the end of the command, and says how that was; empty if {@link #leave} came first. */
    Optional<Fields> run(Opening opening) throws BrokenOutputException {
        try {
            open(opening);
            while (true) {
                try {
                    return Optional.of(pump());
                } catch (BrokenOutputException e) {
                    throw e;
                } catch (IOException e) {
                    closeStream();
                    boolean open = started != null && left.getCount() > 0 && reopen(e);
                    if (left.getCount() == 0) {
                        return Optional.empty();
                    }
                    if (!open) {
                        throw Servers.lost("the server", e);
                    }
                }
            }
        } catch (IOException e) {
            if (e instanceof BrokenOutputException broken) {
                breakPipe();
                throw broken;
            }
            throw Servers.lost("the server", e);
        } finally {
            closeStream();
        }
    }

    /** Ends {@link #run} without touching the command. */
    void leave() {
        left.countDown();
        closeStream();
    }

    void signal(String name) {
        BoxStream current = begun;
        if (current != null) {
            try {
                current.signal(name);
            } catch (IOException e) {
                // The reader of the stream sees the same and opens another.
                closeStream();
            }
        }
    }

    /**
     * Tells the command, as any whose output nobody reads is told. What it still says is read meanwhile: to close a
     * connection with something unread in it would take the signal back.
     */
    private void breakPipe() {
        BoxStream current = stream;
        if (current == null || input == null) {
            return;
        }
        signal("PIPE");
        Deadline deadline = Deadline.in(PIPE_PATIENCE);
        try {
            boolean ended = false;
            while (!ended && !deadline.passed()) {
                ended = current.receive() instanceof StreamMessage.Ended;
            }
        } catch (IOException e) {
            return;
        }
    }

    void resize(WindowSize size) {
        BoxStream current = begun;
        if (current != null) {
            try {
                current.resize(size);
            } catch (IOException e) {
                closeStream();
            }
        }
    }

    private void open(Opening opening) throws IOException {
        stream = servers.stream(opening.target(), opening.start());
    }

    private void closeStream() {
        BoxStream current = stream;
        stream = null;
        begun = null;
        if (input != null) {
            input.disconnect();
        }
        if (current != null) {
            current.close();
        }
    }

    private Fields pump() throws IOException {
        while (true) {
            BoxStream current = stream;
            if (current == null) {
                throw new IOException("the stream was closed");
            }
            switch (current.receive()) {
                case StreamMessage.Started now -> begin(current, now);
                case StreamMessage.Output output -> {
                    offset += output.bytes().remaining();
                    listener.output(output.channel(), output.bytes());
                }
                case StreamMessage.Credit credit -> {
                    if (input != null) {
                        input.grant(credit.bytes());
                    }
                }
                case StreamMessage.Skipped skipped -> {
                    listener.skipped(skipped.to() - offset);
                    offset = skipped.to();
                }
                case StreamMessage.Ended ended -> {
                    return ended.end();
                }
                case StreamMessage.Failed failed -> {
                    if (failed.error().code() != ErrorCode.UNAVAILABLE) {
                        throw failed.error();
                    }
                    throw new IOException(failed.error().getMessage(), failed.error());
                }
            }
        }
    }

    private void begin(BoxStream current, StreamMessage.Started now) {
        if (started == null) {
            offset = now.offset();
        }
        started = now;
        begun = current;
        listener.started(now);
        if (input != null) {
            // What people type at several terminals at once is counted together: that says nothing of this one.
            input.connect(current, typed ? null : now.inputOffset(), typed);
        }
    }

    /** Tries until there is a stream again; false if there was none within the time for that. */
    private boolean reopen(IOException broken) {
        StreamMessage.Started known = started;
        if (known == null) {
            return false;
        }
        Deadline deadline = Deadline.in(RECONNECTING);
        long wait = FIRST_WAIT_MILLIS;
        boolean told = false;
        while (!deadline.passed()) {
            try {
                open(reopening.at(known, offset));
                if (told) {
                    notices.accept("connected again");
                }
                return true;
            } catch (BoxdException e) {
                if (e.code() != ErrorCode.UNAVAILABLE) {
                    throw e;
                }
            } catch (IOException e) {
                broken.addSuppressed(e);
            }
            boolean late = RECONNECTING.minus(deadline.left()).compareTo(TELL_AFTER) > 0;
            if (late && !told) {
                notices.accept("the connection to the server is lost, trying again; the command runs on");
                told = true;
            }
            if (waitedUntilLeft(wait)) {
                return false;
            }
            wait = Math.min(2 * wait, LONGEST_WAIT_MILLIS);
        }
        return false;
    }

    private boolean waitedUntilLeft(long millis) {
        try {
            return left.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
