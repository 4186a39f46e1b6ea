package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ByteChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The host's end of one machine's agent channel.
 *
 * <p>Safe for many threads. When the channel dies, every pending call fails at once. Closing it does
 * not touch the commands that run in the machine.
 */
public final class AgentConnection implements AutoCloseable {
    private final Session session;
    private final AgentFacts facts;
    private final ExecutionCalls executions;
    private final LeaseWatch leaseWatch;
    private final SecureRandom random = new SecureRandom();
    private final AtomicInteger unawaitedRenewal = new AtomicInteger();

    private AgentConnection(Session session, AgentFacts facts, LeaseWatch leaseWatch) {
        this.session = session;
        this.facts = facts;
        this.executions = new ExecutionCalls(session);
        this.leaseWatch = leaseWatch;
    }

    /** Opens a session on a connected channel in blocking mode, which is closed if none comes about. */
    public static AgentConnection open(ByteChannel channel, Deadline deadline) {
        Session session = new Session(channel);
        LeaseWatch leaseWatch = new LeaseWatch();
        session.listen(leaseWatch);
        session.start();
        try {
            return new AgentConnection(session, session.awaitAnswer(deadline), leaseWatch);
        } catch (BoxdException e) {
            session.close("it did not answer");
            throw e;
        }
    }

    public AgentFacts facts() {
        return facts;
    }

    /** Starts a command; returns when it runs, throws with the machine's reason if it cannot. */
    public Execution start(ExecRequest request, Deadline deadline) {
        return start(ExecutionId.random(), request, deadline);
    }

    /** As {@link #start(ExecRequest, Deadline)}, with an id that the caller has already noted down. */
    public Execution start(ExecutionId id, ExecRequest request, Deadline deadline) {
        return executions.start(id, request, ExecRequest.Manner.KEPT, deadline);
    }

    /** Starts a program whose bytes only pass through: nothing of it is kept, and it ends when it is closed. */
    public GuestProgram program(ExecRequest request, Deadline deadline) {
        facts.require(AgentFacts.LINES);
        return new GuestProgram(executions.start(ExecutionId.random(), request, ExecRequest.Manner.PASSING, deadline));
    }

    /**
     * Listens to a command that was started in any session of this machine or of the one it was forked from.
     *
     * <p>Everything from the offset on comes exactly once: first what is kept, then what is new. If the bytes at
     * the offset are not kept any more, {@link Execution#from} tells where it begins; an offset behind the end
     * means from now on.
     */
    public Execution attach(ExecutionId id, long offset, Deadline deadline) {
        return executions.attach(id, offset, deadline);
    }

    /** All executions that run or are remembered, oldest first. */
    public List<ExecutionInfo> executions(Deadline deadline) {
        return executions.list(deadline);
    }

    /** Signals an execution and its process group. */
    public void kill(ExecutionId id, int signal, Deadline deadline) {
        executions.kill(id, signal, deadline);
    }

    /** Lets the machine forget an execution that has ended, and what it said. */
    public void forget(ExecutionId id, Deadline deadline) {
        executions.forget(id, deadline);
    }

    /** Who in the machine has said that it must not be put to sleep. */
    public List<BusyLease> leases(Deadline deadline) {
        return executions.leases(deadline);
    }

    /** Calls back with all leases when they have changed, on a thread of its own, while this connection lasts. */
    public void onLeasesChanged(Consumer<List<BusyLease>> listener) {
        leaseWatch.add(listener);
    }

    /**
     * Runs a command to its end and returns what it said; at the deadline the command is killed.
     *
     * <p>The machine does not remember it, unless the connection breaks before its end was heard of.
     */
    public CommandOutput run(ExecRequest request, Deadline deadline) {
        try (Execution execution =
                executions.start(ExecutionId.random(), request, ExecRequest.Manner.FLEETING, deadline)) {
            Captured stdout = new Captured();
            Captured stderr = new Captured();
            InputStream stdoutStream = execution.stdout();
            InputStream stderrStream = execution.stderr();
            Thread out = Thread.ofVirtual().start(() -> capture(stdout, stdoutStream));
            Thread err = Thread.ofVirtual().start(() -> capture(stderr, stderrStream));
            try {
                ExitStatus status = execution.await(deadline);
                out.join();
                err.join();
                return new CommandOutput(status, stdout, stderr);
            } catch (BoxdException e) {
                if (e.code() == ErrorCode.TIMEOUT) {
                    ExecutionCalls.abandon(execution);
                }
                throw e;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new BoxdException(ErrorCode.UNAVAILABLE, "the command was interrupted", e);
            }
        }
    }

    /** Gives the machine a new identity, or parts of one, and returns how each step went. */
    public RenewalReport renew(Renewal renewal, Deadline deadline) {
        RenewalCall call = new RenewalCall(renewal);
        int stream = begin(call, deadline);
        try {
            return call.await(deadline);
        } finally {
            session.forget(stream);
        }
    }

    /**
     * Asks for a renewal without waiting for it; whatever is sent afterwards is done after it.
     *
     * <p>Only the last one asked for is kept in mind: an agent that never answers must not fill memory.
     */
    public void startRenewal(Renewal renewal, Deadline deadline) {
        session.forget(unawaitedRenewal.getAndSet(begin(new RenewalCall(renewal), deadline)));
    }

    private int begin(RenewalCall call, Deadline deadline) {
        byte[] entropy = new byte[Wire.ENTROPY_BYTES];
        random.nextBytes(entropy);
        int stream = session.newStream();
        byte[] payload = call.renewal().encode(entropy, Instant.now());
        byte[] frame = session.encoder().frame(Wire.RENEW, stream, payload);
        session.begin(stream, call, List.of(frame), deadline, "renewing the machine");
        return stream;
    }

    /** False once the channel has died, or the agent was restarted: then open another connection. */
    public boolean isOpen() {
        return session.isOpen();
    }

    /** How long the agent takes to answer. */
    public Duration ping(Deadline deadline) {
        long before = System.nanoTime();
        Call<Boolean> call = new Call<>(
                message -> message instanceof AgentMessage.Pong ? Optional.of(Boolean.TRUE) : Optional.empty());
        session.ask(call, Wire.PING, new byte[0], deadline, "the answer of the machine's agent");
        return Duration.ofNanos(System.nanoTime() - before);
    }

    /** Lets the machine's file system fill its disk; the new size in bytes. */
    public long grow(Deadline deadline) {
        Call<Long> call = new Call<>(
                message -> message instanceof AgentMessage.Grown(long bytes) ? Optional.of(bytes) : Optional.empty());
        return session.ask(call, Wire.GROW, new byte[0], deadline, "growing the file system");
    }

    /** The machine's files with the rights of one of its users; an empty user is root. */
    public GuestFiles files(String user) {
        return new GuestFiles(new Tasks(session, user));
    }

    /** Whole folders with the rights of one of the machine's users; an empty user is root. */
    public GuestTrees trees(String user) {
        return new GuestTrees(new Tasks(session, user));
    }

    public GuestPorts ports() {
        return new GuestPorts(new Tasks(session, ""));
    }

    /**
     * Connects to something that listens inside the machine.
     *
     * @param stallLimit a read that gets nothing, or a write of which nothing is taken, for so long fails
     * @param deadline by which the connection must have come about
     */
    public GuestConnection dial(DialTarget target, Duration stallLimit, Deadline deadline) {
        String what = "connecting to " + target.describe();
        byte[] request = target.encode((int) Math.min(deadline.leftMillis(), Integer.MAX_VALUE));
        Tunnel tunnel = Tunnel.begin(session, Wire.DIAL, request, stallLimit, deadline, what);
        tunnel.awaitOpened(deadline);
        return new GuestConnection(tunnel);
    }

    /** Connections out of and into the machine, with the rights of one of its users; an empty user is root. */
    public GuestNetwork network(String user) {
        facts.require(AgentFacts.LINES);
        return new GuestNetwork(session, new Tasks(session, user));
    }

    /** Figures of the machine: processor, memory, disks, network. */
    public MachineMetrics metrics(Deadline deadline) {
        Tasks tasks = new Tasks(session, "");
        return tasks.ask(tasks.request(Tasks.METRICS), MachineMetrics::parse, deadline, "counting");
    }

    /** Asks for an orderly end; returns when the agent has begun it. */
    public void shutdown(ShutdownMode mode, Deadline deadline) {
        Call<Boolean> call = new Call<>(
                message -> message instanceof AgentMessage.ShuttingDown ? Optional.of(Boolean.TRUE) : Optional.empty());
        session.ask(call, Wire.SHUTDOWN, new byte[] {(byte) mode.wireValue()}, deadline, "shutting the machine down");
    }

    @Override
    public void close() {
        session.close("the connection was closed");
    }

    private static void capture(Captured captured, InputStream stream) {
        try {
            captured.readAll(stream);
        } catch (IOException e) {
            // The connection has ended, which the caller learns from waiting for the command.
            return;
        }
    }
}
