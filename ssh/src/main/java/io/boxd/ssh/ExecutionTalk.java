package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.control.BoxStream;
import io.boxd.control.ExecutionStream;
import io.boxd.control.Happening;
import io.boxd.guest.OutputChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client's part in a command that runs in a box: to be typed into, to be heard, and to be left. */
final class ExecutionTalk implements InputTaker, Conversation.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutionTalk.class);
    private static final Duration LOOK = Duration.ofMinutes(1);

    private final ExecutionStream stream;
    private final Function<Leaving, Optional<String>> farewell;
    private volatile boolean left;

    /** @param farewell the signal that the command gets when its client leaves so; nothing: it runs on */
    ExecutionTalk(ExecutionStream stream, Function<Leaving, Optional<String>> farewell) {
        this.stream = stream;
        this.farewell = farewell;
    }

    /** Whoever gets what is said. */
    interface Hearer {
        void output(boolean error, ByteBuffer bytes) throws IOException;

        /** So many bytes are not kept any more. */
        void skipped(long bytes) throws IOException;
    }

    /** To the end of the command; nothing if the client has left before. */
    Optional<Happening.Ended> run(Hearer hearer) throws IOException {
        try (stream) {
            return Optional.of(hear(stream, stream.firstOffset(), hearer));
        } catch (BoxdException | IOException e) {
            if (left) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Everything that a stream says, to its end. */
    static Happening.Ended hear(BoxStream stream, long firstOffset, Hearer hearer) throws IOException {
        long offset = firstOffset;
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
                    return ended;
                }
            }
        }
    }

    @Override
    public void take(byte[] bytes, int offset, int length) throws IOException {
        stream.write(bytes, offset, length);
    }

    @Override
    public void end() throws IOException {
        stream.endInput();
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
        farewell.apply(how).ifPresent(this::signalled);
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
