package io.boxd.ledger;

import io.boxd.linux.Durable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/** What Ratis hands committed entries to: applies them to the state, one after the other. */
final class AppliedState extends BaseStateMachine {
    private final StateDatabase database;
    private final Books books;
    private final Path logFolder;
    private final LongConsumer applied;
    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
    private final CompletableFuture<Object> failure = new CompletableFuture<>();
    private FileTime namesSynced = FileTime.fromMillis(0);

    /**
     * Applies to this state.
     *
     * @param applied told the size of each entry after it was applied
     */
    AppliedState(StateDatabase database, Books books, Path logFolder, LongConsumer applied) {
        this.database = database;
        this.books = books;
        this.logFolder = logFolder;
        this.applied = applied;
        Position position = database.position();
        if (position.index() != Position.NONE) {
            setLastAppliedTermIndex(TermIndex.valueOf(position.term(), position.index()));
        }
    }

    /** Done when everything that was committed before is applied, and commands are taken. */
    CompletableFuture<Boolean> ready() {
        return ready;
    }

    /** Fails when nothing can be applied or written any more, and why. */
    CompletableFuture<Object> failure() {
        return failure;
    }

    @Override
    public void notifyLeaderReady() {
        ready.complete(true);
    }

    /** The state is its own snapshot: entries before are never asked for again. */
    @Override
    public @Nullable SnapshotInfo getLatestSnapshot() {
        Position position = database.position();
        if (position.index() == Position.NONE) {
            return null;
        }
        return new SnapshotInfo() {
            @Override
            public TermIndex getTermIndex() {
                return TermIndex.valueOf(position.term(), position.index());
            }

            @Override
            public List<FileInfo> getFiles() {
                return List.of();
            }
        };
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        LogEntryProto entry = Objects.requireNonNull(transaction.getLogEntry());
        byte[] command = entry.getStateMachineLogEntry().getLogData().toByteArray();
        try {
            String answer = database.apply(books, entry.getTerm(), entry.getIndex(), command);
            updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
            applied.accept(command.length);
            return CompletableFuture.completedFuture(Message.valueOf(ByteString.copyFromUtf8(answer)));
        } catch (RuntimeException e) {
            failure.completeExceptionally(e);
            throw e;
        }
    }

    /** Before entries count as written: syncing a file does not promise that its name lasts. */
    @Override
    public CompletableFuture<Void> flush(long index) {
        try {
            FileTime changed = Files.getLastModifiedTime(logFolder);
            if (!changed.equals(namesSynced)) {
                Durable.syncFolder(logFolder);
                namesSynced = changed;
            }
            return CompletableFuture.completedFuture(null);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void notifyLogFailed(Throwable cause, @Nullable LogEntryProto entry) {
        failure.completeExceptionally(cause);
    }

    @Override
    public void notifyServerShutdown(org.apache.ratis.proto.RaftProtos.RoleInfoProto role, boolean allServer) {
        failure.completeExceptionally(new IOException("the log is closed"));
    }
}
