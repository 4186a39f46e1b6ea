package io.boxd.ledger;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Durable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/** This host's member of the group that keeps the log; so far it is the only one. */
final class Replica implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Replica.class.getName());
    private static final RaftGroupId GROUP = RaftGroupId.valueOf(LogFolder.GROUP);
    private static final RaftPeerId MEMBER = RaftPeerId.valueOf(LogFolder.MEMBER);

    private final RaftServer server;
    private final AppliedState state;
    private final ClientId client = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();

    private Replica(RaftServer server, AppliedState state) {
        this.server = server;
        this.state = state;
    }

    /** Starts it; when this returns, all that was committed is applied. */
    static Replica start(LedgerConfig config, AppliedState state, Deadline deadline) {
        RaftPeer peer =
                RaftPeer.newBuilder().setId(MEMBER).setAddress(config.address()).build();
        try {
            RaftServer server = RaftServer.newBuilder()
                    .setServerId(MEMBER)
                    .setGroup(RaftGroup.valueOf(GROUP, List.of(peer)))
                    .setOption(RaftStorage.StartupOption.RECOVER)
                    .setStateMachine(state)
                    .setProperties(RaftSettings.properties(config))
                    .setParameters(RaftSettings.parameters(config))
                    .build();
            Replica replica = new Replica(server, state);
            replica.start(deadline);
            return replica;
        } catch (IOException e) {
            throw Durable.failure("the log in " + config.log().root() + " could not be started", e);
        }
    }

    private void start(Deadline deadline) throws IOException {
        try {
            server.start();
            await(state.ready(), "starting the log", deadline);
        } catch (IOException | RuntimeException e) {
            closeListener();
            throw e;
        }
    }

    /** Where other members would reach it. */
    InetSocketAddress address() {
        return server.getServerRpc().getInetSocketAddress();
    }

    /** Writes an entry and waits until it lasts and is applied; returns what was answered. */
    String submit(byte[] entry, Deadline deadline) {
        RaftClientRequest request = RaftClientRequest.newBuilder()
                .setClientId(client)
                .setServerId(MEMBER)
                .setGroupId(GROUP)
                .setCallId(calls.incrementAndGet())
                .setMessage(Message.valueOf(ByteString.copyFrom(entry)))
                .setType(RaftClientRequest.writeRequestType())
                .build();
        RaftClientReply reply;
        try {
            reply = await(server.submitClientRequestAsync(request), "writing a decision down", deadline);
        } catch (IOException e) {
            throw stopped(e);
        }
        if (!reply.isSuccess()) {
            throw stopped(reply.getException());
        }
        return reply.getMessage().getContent().toStringUtf8();
    }

    private <T> T await(CompletableFuture<T> what, String name, Deadline deadline) {
        try {
            CompletableFuture.anyOf(what, state.failure()).get(deadline.leftMillis(), TimeUnit.MILLISECONDS);
            return Objects.requireNonNull(what.getNow(null));
        } catch (TimeoutException e) {
            throw deadline.exceeded(name);
        } catch (ExecutionException e) {
            throw stopped(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, name + " was interrupted", e);
        }
    }

    private static BoxdException stopped(@Nullable Throwable cause) {
        if (cause instanceof BoxdException known) {
            return known;
        }
        return new BoxdException(
                ErrorCode.UNAVAILABLE,
                "the log cannot be written any more: " + cause,
                "See the server's log. When the cause is mended, start the server again.",
                cause);
    }

    /** Deletes what the log has up to this entry, as far as whole files go. */
    void purge(long index) {
        try {
            var _ = server.getDivision(GROUP).getRaftLog().purge(index);
        } catch (IOException e) {
            throw stopped(e);
        }
    }

    /** When this returns, nothing is written any more; the listener's threads take two seconds longer to end. */
    @Override
    public void close() {
        try {
            server.getDivision(GROUP).close();
        } catch (IOException e) {
            throw stopped(e);
        } finally {
            Thread.ofPlatform().daemon().name("ledger-listener-end").start(this::closeListener);
        }
    }

    private void closeListener() {
        try {
            server.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "the listener of the log did not end in order", e);
        }
    }
}
