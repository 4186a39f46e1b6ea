package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Starting executions, and finding again those that were started in any session. */
final class ExecutionCalls {
    /** More executions than an agent remembers mean that it lies. */
    private static final int MAX_EXECUTIONS = 4096;

    private static final int SIGKILL = 9;

    private final Session session;

    ExecutionCalls(Session session) {
        this.session = session;
    }

    /** Starts a command. */
    Execution start(ExecutionId id, ExecRequest request, ExecRequest.Manner manner, Deadline deadline) {
        byte[] encoded = request.encode(id, manner);
        int stream = session.newStream();
        boolean input = request.stdin() || request.terminal() != null;
        Execution execution = Execution.starting(id, stream, input, session);
        List<byte[]> frames = session.encoder().exec(stream, encoded);
        session.begin(stream, execution.conversation(), frames, deadline, "starting the command");
        try {
            execution.awaitStart(deadline);
        } catch (BoxdException e) {
            if (e.code() == ErrorCode.TIMEOUT) {
                abandon(execution);
            }
            throw e;
        }
        return execution;
    }

    /** Listens to a command that was started before. */
    Execution attach(ExecutionId id, long offset, Deadline deadline) {
        if (offset < 0) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "an offset is not negative");
        }
        int stream = session.newStream();
        Execution execution = Execution.attaching(id, stream, session);
        byte[] payload = new PayloadWriter().bytes(id.bytes()).u64(offset).toBytes();
        List<byte[]> frames = List.of(session.encoder().frame(Wire.ATTACH, stream, payload));
        session.begin(stream, execution.conversation(), frames, deadline, "attaching to the command");
        try {
            execution.awaitStart(deadline);
        } catch (BoxdException e) {
            execution.close();
            throw e;
        }
        return execution;
    }

    /** A command that nobody waits for any more is ended, and what it still says is dropped. */
    static void abandon(Execution execution) {
        execution.signal(SIGKILL);
        execution.close();
    }

    List<ExecutionInfo> list(Deadline deadline) {
        List<ExecutionInfo> found = new ArrayList<>();
        long after = 0;
        while (true) {
            AgentMessage.Executions page = page(after, deadline);
            for (ExecutionInfo info : page.executions()) {
                if (info.number() <= after || found.size() == MAX_EXECUTIONS) {
                    throw new BoxdException(ErrorCode.UNAVAILABLE, "the machine's list of executions makes no sense");
                }
                after = info.number();
                found.add(info);
            }
            if (!page.more() || page.executions().isEmpty()) {
                return List.copyOf(found);
            }
        }
    }

    private AgentMessage.Executions page(long after, Deadline deadline) {
        Call<AgentMessage.Executions> call = new Call<>(message ->
                message instanceof AgentMessage.Executions executions ? Optional.of(executions) : Optional.empty());
        byte[] payload = new PayloadWriter().u64(after).toBytes();
        return session.ask(call, Wire.LIST, payload, deadline, "listing the executions");
    }

    void kill(ExecutionId id, int signal, Deadline deadline) {
        byte[] payload = new PayloadWriter().bytes(id.bytes()).u8(signal).toBytes();
        session.ask(done(), Wire.KILL, payload, deadline, "signalling the execution");
    }

    void forget(ExecutionId id, Deadline deadline) {
        session.ask(done(), Wire.FORGET, id.bytes(), deadline, "forgetting the execution");
    }

    List<BusyLease> leases(Deadline deadline) {
        Call<List<BusyLease>> call =
                new Call<>(message -> message instanceof AgentMessage.Leases(List<BusyLease> leases)
                        ? Optional.of(leases)
                        : Optional.empty());
        return session.ask(call, Wire.LEASES, new byte[0], deadline, "listing the leases");
    }

    private static Call<Boolean> done() {
        return new Call<>(
                message -> message instanceof AgentMessage.Done ? Optional.of(Boolean.TRUE) : Optional.empty());
    }
}
