package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.SignalNames;
import io.boxd.control.BoxProgram;
import io.boxd.guest.ExitStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins a client's session and a program whose bytes only pass through: what copies much and is asked by a program. It
 * ends with its client.
 */
final class ProgramTalk implements InputTaker, Conversation.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(ProgramTalk.class);
    private static final Duration ENDING = Duration.ofSeconds(30);
    private static final int CHUNK_BYTES = 64 * 1024;

    /** What the other ends of scp, rsync and git ask for; its output is of no use to anybody later. */
    private static final Pattern COPYING = Pattern.compile(
            "(scp\\s+-|rsync\\s+--server|(git[- ])(upload-pack|receive-pack|upload-archive)\\s).*", Pattern.DOTALL);

    private final BoxProgram program;
    private final Conversation conversation;
    private final CountDownLatch errorsPassed = new CountDownLatch(1);
    private volatile boolean left;

    ProgramTalk(BoxProgram program, Conversation conversation) {
        this.program = program;
        this.conversation = conversation;
    }

    static boolean isFor(String line) {
        return COPYING.matcher(line.stripLeading()).matches();
    }

    /** To the end of the program; nothing if the client has left before. */
    Optional<Ending> run() throws IOException {
        try (program) {
            conversation.listen(this);
            InputPump.start(conversation.input(), this);
            Thread.ofVirtual().name("ssh-errors").start(this::passErrors);
            pass(program.output(), conversation.output());
            awaitErrors();
            return Optional.of(ending(program.await(Deadline.in(ENDING))));
        } catch (BoxdException | IOException e) {
            if (left) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private void awaitErrors() throws IOException {
        try {
            if (!errorsPassed.await(ENDING.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.debug("a program has closed its output and goes on with its errors");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private void passErrors() {
        try {
            pass(program.errors(), conversation.errors());
        } catch (IOException | BoxdException e) {
            LOG.debug("errors of a program are not passed on", e); // its client has left
        } finally {
            errorsPassed.countDown();
        }
    }

    private static void pass(InputStream from, OutputStream to) throws IOException {
        byte[] chunk = new byte[CHUNK_BYTES];
        for (int count = from.read(chunk); count >= 0; count = from.read(chunk)) {
            to.write(chunk, 0, count);
            to.flush();
        }
    }

    private static Ending ending(ExitStatus status) {
        return switch (status) {
            case ExitStatus.Exited(int code) -> new Ending.Status(code);
            case ExitStatus.Killed(int number, boolean _) -> new Ending.Signal(SignalNames.name(number));
        };
    }

    @Override
    public void take(byte[] bytes, int offset, int length) throws IOException {
        program.input().write(bytes, offset, length);
    }

    @Override
    public void end() throws IOException {
        program.input().close();
    }

    @Override
    public void resized(Conversation.Terminal terminal) {
        // It has none.
    }

    @Override
    public void signalled(String name) {
        try {
            program.signal(name);
        } catch (BoxdException e) {
            LOG.debug("a program could not be signalled", e); // it has ended, or the signal is unknown
        }
    }

    @Override
    public void left(Leaving how) {
        left = true;
        program.close();
    }
}
