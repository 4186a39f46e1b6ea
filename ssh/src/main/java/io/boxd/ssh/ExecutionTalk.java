package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.control.ExecutionStream;
import io.boxd.control.Happening;
import io.boxd.guest.OutputChannel;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Joins a client's session and a command in a box: what is typed goes in, what is said comes out, until it ends. */
final class ExecutionTalk implements Conversation.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutionTalk.class);
    private static final Duration LOOK = Duration.ofMinutes(1);
    private static final int CHUNK_BYTES = 32 * 1024;

    private final ExecutionStream stream;
    private final Conversation conversation;
    private final Function<Leaving, Optional<String>> farewell;
    private volatile boolean left;

    /** @param farewell the signal that the command gets when its client leaves so; nothing: it runs on */
    ExecutionTalk(ExecutionStream stream, Conversation conversation, Function<Leaving, Optional<String>> farewell) {
        this.stream = stream;
        this.conversation = conversation;
        this.farewell = farewell;
    }

    /** Whoever gets what the command says. */
    interface Hearer {
        void output(boolean error, ByteBuffer bytes) throws IOException;

        void skipped(long bytes) throws IOException;
    }

    /** Passes everything on as it is. */
    static Hearer toClient(Conversation conversation) {
        return new Hearer() {
            @Override
            public void output(boolean error, ByteBuffer bytes) throws IOException {
                OutputStream to = error ? conversation.errors() : conversation.output();
                byte[] copy = new byte[bytes.remaining()];
                bytes.get(copy);
                to.write(copy);
                to.flush();
            }

            @Override
            public void skipped(long bytes) {
                // Whoever sees a session from its beginning misses nothing.
            }
        };
    }

    /** To the end of the command; nothing if the client has left before. */
    Optional<Happening.Ended> run(Hearer hearer) throws IOException {
        conversation.listen(this);
        if (stream.takesInput()) {
            Thread.ofVirtual().name("ssh-input-" + stream.execution()).start(this::passInput);
        }
        try (stream) {
            long offset = stream.firstOffset();
            while (true) {
                switch (stream.next(Deadline.in(LOOK))) {
                    case Happening.Output(OutputChannel channel, ByteBuffer data) -> {
                        offset += data.remaining();
                        hearer.output(channel == OutputChannel.STDERR, data);
                    }
                    case Happening.Skipped(long to) -> {
                        hearer.skipped(to - offset);
                        offset = to;
                    }
                    case Happening.Nothing() -> {}
                    case Happening.Ended ended -> {
                        return Optional.of(ended);
                    }
                }
            }
        } catch (BoxdException | IOException e) {
            if (left) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private void passInput() {
        byte[] chunk = new byte[CHUNK_BYTES];
        try {
            for (int count = conversation.input().read(chunk);
                    count >= 0;
                    count = conversation.input().read(chunk)) {
                stream.write(chunk, 0, count);
            }
            stream.endInput();
        } catch (IOException | BoxdException e) {
            LOG.debug("a command gets no more input", e); // it has ended, or its client has left
        }
    }

    @Override
    public void resized(Conversation.Terminal terminal) {
        attempt(() -> stream.resize(terminal.rows(), terminal.columns()));
    }

    @Override
    public void signalled(String name) {
        attempt(() -> stream.signal(name));
    }

    @Override
    public void left(Leaving how) {
        left = true;
        farewell.apply(how).ifPresent(signal -> attempt(() -> stream.signal(signal)));
        stream.close();
    }

    private static void attempt(Runnable what) {
        try {
            what.run();
        } catch (BoxdException e) {
            LOG.debug("a command could not be told", e); // it has ended meanwhile, or the signal is unknown
        }
    }
}
