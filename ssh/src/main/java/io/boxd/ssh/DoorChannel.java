package io.boxd.ssh;

import io.boxd.common.Shapes;
import io.boxd.verbs.Exits;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.channel.Channel;
import org.apache.sshd.common.channel.ChannelOutputStream;
import org.apache.sshd.common.channel.RequestHandler.Result;
import org.apache.sshd.common.io.IoWriteFuture;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.server.channel.AbstractServerChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session channel: takes requests of the protocol and makes a {@link Conversation} of them, which a door then has on
 * a thread of its own.
 *
 * <p>All that is called by the connection's thread returns at once.
 */
final class DoorChannel extends AbstractServerChannel {
    private static final Logger LOG = LoggerFactory.getLogger(DoorChannel.class);
    private static final int MOST_CELLS = 10_000;

    /** Has the conversation, on a thread that may wait; says how it ended. */
    @FunctionalInterface
    interface Door {
        Ending talk(Visitor visitor, Conversation conversation);
    }

    private final Door door;
    private final Visitor visitor;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final ClientInput input = new ClientInput(this::release);
    private final Happenings happenings = new Happenings();
    private Conversation.@Nullable Terminal terminal;
    private @Nullable Wish wish;
    private boolean begun;
    private volatile boolean finished;

    DoorChannel(Door door, Visitor visitor) {
        super("", List.of(), null);
        this.door = door;
        this.visitor = visitor;
    }

    @Override
    protected Result handleInternalRequest(String request, boolean wantReply, Buffer buffer) throws IOException {
        return switch (request) {
            case "env" -> setVariable(buffer.getString(), buffer.getString());
            case "pty-req" -> openTerminal(buffer);
            case "window-change" -> resize(buffer);
            case "signal" -> answer(happenings.signalled(buffer.getString()));
            case "break" -> answer(happenings.signalled("INT"));
            case Channel.CHANNEL_SHELL -> ask(new Wish.Shell());
            case Channel.CHANNEL_EXEC -> askLine(buffer.getString());
            case Channel.CHANNEL_SUBSYSTEM -> ask(new Wish.Subsystem(buffer.getString()));
            default -> Result.ReplyFailure;
        };
    }

    private static Result answer(boolean success) {
        return success ? Result.ReplySuccess : Result.ReplyFailure;
    }

    private Result setVariable(String name, String value) {
        boolean fits = wish == null
                && environment.size() < SshLimits.VARIABLES
                && value.length() <= SshLimits.VARIABLE_CHARS
                && Shapes.isVariable(name);
        if (fits) {
            environment.put(name, value);
        }
        return answer(fits);
    }

    private Result openTerminal(Buffer buffer) {
        if (wish != null) {
            return Result.ReplyFailure;
        }
        String type = buffer.getString();
        int columns = buffer.getInt();
        int rows = buffer.getInt();
        terminal = new Conversation.Terminal(type, cells(rows, 24), cells(columns, 80));
        return Result.ReplySuccess;
    }

    private static int cells(int said, int usual) {
        return said < 1 || said > MOST_CELLS ? usual : said;
    }

    private Result resize(Buffer buffer) {
        Conversation.Terminal before = terminal;
        if (before == null) {
            return Result.ReplyFailure;
        }
        int columns = cells(buffer.getInt(), before.columns());
        int rows = cells(buffer.getInt(), before.rows());
        Conversation.Terminal now = new Conversation.Terminal(before.type(), rows, columns);
        terminal = now;
        return answer(happenings.resized(now));
    }

    private Result askLine(String line) {
        return line.length() > SshLimits.COMMAND_CHARS ? Result.ReplyFailure : ask(new Wish.Line(line));
    }

    private Result ask(Wish asked) {
        if (wish != null || isClosing()) {
            return Result.ReplyFailure;
        }
        wish = asked;
        return Result.ReplySuccess;
    }

    /** The client must hear that its wish is granted before it hears anything else. */
    @Override
    protected IoWriteFuture sendResponse(Buffer buffer, String request, Result result, boolean wantReply)
            throws IOException {
        IoWriteFuture sent = super.sendResponse(buffer, request, result, wantReply);
        Wish granted = wish;
        if (granted != null && !begun) {
            begun = true;
            Talk talk = new Talk(granted, Optional.ofNullable(terminal), Map.copyOf(environment));
            Thread.ofVirtual().name("ssh-" + visitor.user()).start(() -> hold(talk));
        }
        return sent;
    }

    private void hold(Talk talk) {
        Ending ending;
        try {
            ending = door.talk(visitor, talk);
        } catch (RuntimeException e) {
            LOG.error("a session failed", e);
            ending = new Ending.Status(Exits.FAILED);
        }
        try {
            finish(talk, ending);
        } catch (IOException e) {
            LOG.debug("the client had left before its session ended", e);
            close(true);
        }
    }

    private void finish(Talk talk, Ending ending) throws IOException {
        if (isClosing()) {
            return;
        }
        finished = true;
        talk.errors.close();
        talk.output.close();
        sendEof();
        switch (ending) {
            case Ending.Status(int number) -> sendExitStatus(number);
            case Ending.Signal(String name) -> sendExitSignal(name);
        }
        close(false);
    }

    private void sendExitSignal(String name) throws IOException {
        Buffer buffer = getSession().createBuffer(SshConstants.SSH_MSG_CHANNEL_REQUEST);
        buffer.putUInt(getRecipient());
        buffer.putString("exit-signal");
        buffer.putBoolean(false);
        buffer.putString(name);
        buffer.putBoolean(false);
        buffer.putString("");
        buffer.putString("");
        writePacket(buffer);
    }

    @Override
    protected void doWriteData(byte[] data, int offset, long length) {
        input.add(data, offset, Math.toIntExact(length));
    }

    @Override
    protected void doWriteExtendedData(byte[] data, int offset, long length) throws IOException {
        release(Math.toIntExact(length)); // no client of a session has an error stream
    }

    private void release(int bytes) {
        try {
            if (getLocalWindow().isOpen()) {
                getLocalWindow().release(bytes);
            }
        } catch (IOException e) {
            LOG.debug("a client that has left gets no window", e);
        }
    }

    @Override
    public void handleEof() throws IOException {
        super.handleEof();
        input.end();
    }

    @Override
    public void handleClose() throws IOException {
        leave(Leaving.DELIBERATE);
        super.handleClose();
    }

    @Override
    protected void preClose() {
        leave(Departures.of(getSession()));
        super.preClose();
    }

    private void leave(Leaving how) {
        if (!finished) {
            input.breakOff();
            happenings.left(how);
        }
    }

    /** What a door gets to see of this channel. */
    private final class Talk implements Conversation {
        private final Wish wish;
        private final Optional<Terminal> terminal;
        private final Map<String, String> environment;
        private final ChannelOutputStream output = stream(SshConstants.SSH_MSG_CHANNEL_DATA);
        private final ChannelOutputStream errors = stream(SshConstants.SSH_MSG_CHANNEL_EXTENDED_DATA);

        Talk(Wish wish, Optional<Terminal> terminal, Map<String, String> environment) {
            this.wish = wish;
            this.terminal = terminal;
            this.environment = environment;
        }

        private ChannelOutputStream stream(byte command) {
            return new ChannelOutputStream(DoorChannel.this, getRemoteWindow(), LOG, command, false);
        }

        @Override
        public Wish wish() {
            return wish;
        }

        @Override
        public Optional<Terminal> terminal() {
            return terminal;
        }

        @Override
        public Map<String, String> environment() {
            return environment;
        }

        @Override
        public ClientInput input() {
            return input;
        }

        @Override
        public ChannelOutputStream output() {
            return output;
        }

        @Override
        public ChannelOutputStream errors() {
            return errors;
        }

        @Override
        public void listen(Listener listener) {
            happenings.listen(listener);
        }
    }
}
