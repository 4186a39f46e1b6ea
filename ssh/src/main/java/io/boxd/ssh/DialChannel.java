package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.BoxConnection;
import io.boxd.control.DialOrder;
import io.boxd.verbs.Harmless;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.sshd.client.future.DefaultOpenFuture;
import org.apache.sshd.client.future.OpenFuture;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.channel.ChannelOutputStream;
import org.apache.sshd.common.channel.exception.SshChannelOpenException;
import org.apache.sshd.common.util.buffer.Buffer;
import org.apache.sshd.server.channel.AbstractServerChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection that a client wants to have made where its door leads; this host itself never makes it. */
final class DialChannel extends AbstractServerChannel {
    private static final Logger LOG = LoggerFactory.getLogger(DialChannel.class);
    private static final int CHUNK_BYTES = 64 * 1024;
    private static final int DIRECTIONS = 2;

    /** Makes connections, on a thread that may wait. */
    @FunctionalInterface
    interface Dialler {
        BoxConnection dial(Visitor visitor, DialOrder.Target target) throws IOException;
    }

    /** Reads what a client asks for. */
    @FunctionalInterface
    interface Reader {
        DialOrder.Target read(Buffer buffer);
    }

    private final Dialler dialler;
    private final Visitor visitor;
    private final Reader reader;
    private final ClientInput input = new ClientInput(this::release);
    private final AtomicInteger open = new AtomicInteger(DIRECTIONS);
    private volatile @Nullable BoxConnection connection;

    DialChannel(Dialler dialler, Visitor visitor, Reader reader) {
        super("", List.of(), null);
        this.dialler = dialler;
        this.visitor = visitor;
        this.reader = reader;
    }

    /** As a client names a port. */
    static DialOrder.Target port(Buffer buffer) {
        return new DialOrder.Target.Port(buffer.getString(), buffer.getInt());
    }

    /** As a client names a socket. */
    static DialOrder.Target socket(Buffer buffer) {
        return new DialOrder.Target.Socket(buffer.getString());
    }

    @Override
    protected OpenFuture doInit(Buffer buffer) {
        DialOrder.Target target = reader.read(buffer);
        OpenFuture opening = new DefaultOpenFuture(this, this);
        Thread.ofVirtual().name("ssh-dial").start(() -> dial(target, opening));
        return opening;
    }

    private void dial(DialOrder.Target target, OpenFuture opening) {
        BoxConnection made;
        try {
            made = dialler.dial(visitor, target);
        } catch (BoxdException e) {
            refuse(opening, reason(e.code()), String.valueOf(e.getMessage()));
            return;
        } catch (IOException | RuntimeException e) {
            LOG.debug("a connection could not be made", e);
            refuse(opening, SshConstants.SSH_OPEN_CONNECT_FAILED, "it could not be connected");
            return;
        }
        connection = made;
        signalOpened(opening);
        if (isClosing()) {
            made.close();
            return;
        }
        Thread.ofVirtual().name("ssh-dial-in").start(() -> passIn(made));
        passOut(made);
    }

    private void signalOpened(OpenFuture opening) {
        try {
            signalChannelOpenSuccess();
        } finally {
            opening.setOpened();
        }
    }

    private void refuse(OpenFuture opening, int reason, String message) {
        SshChannelOpenException failure = new SshChannelOpenException(getChannelId(), reason, Harmless.line(message));
        signalChannelOpenFailure(failure);
        opening.setException(failure);
        close(true);
    }

    private static int reason(ErrorCode code) {
        return switch (code) {
            case UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT ->
                SshConstants.SSH_OPEN_ADMINISTRATIVELY_PROHIBITED;
            case RESOURCE_EXHAUSTED, QUOTA_EXCEEDED -> SshConstants.SSH_OPEN_RESOURCE_SHORTAGE;
            case NOT_FOUND, ALREADY_EXISTS, WRONG_STATE, TIMEOUT, UNAVAILABLE, INTERNAL ->
                SshConstants.SSH_OPEN_CONNECT_FAILED;
        };
    }

    private void passIn(BoxConnection made) {
        byte[] chunk = new byte[CHUNK_BYTES];
        try {
            for (int count = input.read(chunk); count >= 0; count = input.read(chunk)) {
                made.output().write(chunk, 0, count);
            }
            made.output().close();
        } catch (IOException | BoxdException e) {
            LOG.debug("a connection takes no more", e);
        } finally {
            ended(made);
        }
    }

    private void passOut(BoxConnection made) {
        byte[] chunk = new byte[CHUNK_BYTES];
        try (ChannelOutputStream output =
                new ChannelOutputStream(this, getRemoteWindow(), LOG, SshConstants.SSH_MSG_CHANNEL_DATA, false)) {
            for (int count = made.input().read(chunk);
                    count >= 0;
                    count = made.input().read(chunk)) {
                output.write(chunk, 0, count);
                output.flush();
            }
            output.flush();
            sendEof();
        } catch (IOException | BoxdException e) {
            LOG.debug("a connection says no more", e);
            made.close();
            close(false);
        } finally {
            ended(made);
        }
    }

    private void ended(BoxConnection made) {
        if (open.decrementAndGet() == 0) {
            made.close();
            close(false);
        }
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
    protected void doWriteData(byte[] data, int offset, long length) {
        input.add(data, offset, Math.toIntExact(length));
    }

    @Override
    protected void doWriteExtendedData(byte[] data, int offset, long length) {
        release(Math.toIntExact(length));
    }

    @Override
    public void handleEof() throws IOException {
        super.handleEof();
        input.end();
    }

    @Override
    protected void preClose() {
        input.breakOff();
        BoxConnection made = connection;
        if (made != null) {
            Thread.ofVirtual().name("ssh-dial-end").start(made::close);
        }
        super.preClose();
    }
}
