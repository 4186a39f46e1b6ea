package io.boxd.guest;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Everything an agent can say after the handshake. */
sealed interface AgentMessage {
    record Pong() implements AgentMessage {}

    record Started(long pid) implements AgentMessage {}

    record Refused(int errno, String message) implements AgentMessage {}

    /** Output of a command; the bytes are valid only while the message is being handled. */
    record Output(OutputChannel channel, ByteBuffer data) implements AgentMessage {}

    /** A program has closed this channel. */
    record OutputEnd(OutputChannel channel) implements AgentMessage {}

    record StdinCredit(long bytes) implements AgentMessage {}

    record Ended(ExitStatus status) implements AgentMessage {}

    record Step(StepResult result) implements AgentMessage {}

    record RenewDone(long wallClockNanos) implements AgentMessage {}

    record Grown(long bytes) implements AgentMessage {}

    record ShuttingDown() implements AgentMessage {}

    /** A task can be done, or a connection has come about; what is known by now. */
    record Opened(GuestBytes payload) implements AgentMessage {}

    /** Bytes of a tunnel; valid only while the message is being handled. */
    record Data(ByteBuffer data) implements AgentMessage {}

    record DataEnd() implements AgentMessage {}

    record DataCredit(long bytes) implements AgentMessage {}

    /** A tunnel has ended as it should; its result. */
    record TunnelDone(GuestBytes payload) implements AgentMessage {}

    /** The agent has given up the session. */
    record Fault(String reason) implements AgentMessage {}

    /** A client listens from this offset on. */
    record Attached(long offset, long pid, boolean input) implements AgentMessage {}

    /** A page of a list. */
    record Executions(boolean more, List<ExecutionInfo> executions) implements AgentMessage {}

    record Done() implements AgentMessage {}

    /** Output before this offset is lost. */
    record Skipped(long offset) implements AgentMessage {}

    record Leases(List<BusyLease> leases) implements AgentMessage {}

    /** News that nobody asked for. */
    record LeasesChanged(List<BusyLease> leases) implements AgentMessage {}

    static AgentMessage parse(Frame frame) throws ProtocolException {
        if (frame.type() == Wire.STDOUT || frame.type() == Wire.STDERR) {
            return new Output(
                    frame.type() == Wire.STDOUT ? OutputChannel.STDOUT : OutputChannel.STDERR, frame.payload());
        }
        if (frame.type() == Wire.DATA_OUT) {
            return new Data(frame.payload());
        }
        PayloadReader reader = new PayloadReader(frame.payload());
        AgentMessage message = switch (frame.type()) {
            case Wire.PONG -> new Pong();
            case Wire.STARTED -> new Started(reader.u32());
            case Wire.REFUSED -> new Refused(reader.s32(), reader.text(Wire.MAX_MESSAGE_BYTES));
            case Wire.STDIN_CREDIT -> new StdinCredit(reader.u32());
            case Wire.OUTPUT_END -> new OutputEnd(reader.u8() == 1 ? OutputChannel.STDOUT : OutputChannel.STDERR);
            case Wire.EXITED -> new Ended(new ExitStatus.Exited(reader.u8()));
            case Wire.KILLED -> new Ended(new ExitStatus.Killed(reader.u8(), reader.u8() != 0));
            case Wire.STEP ->
                new Step(new StepResult(
                        reader.text(Wire.MAX_NAME_BYTES), reader.s32(), reader.text(Wire.MAX_MESSAGE_BYTES)));
            case Wire.RENEW_DONE -> new RenewDone(reader.s64());
            case Wire.GROWN -> new Grown(reader.s64());
            case Wire.SHUTTING_DOWN -> new ShuttingDown();
            case Wire.OPENED -> new Opened(GuestBytes.of(reader.rest()));
            case Wire.DATA_OUT_END -> new DataEnd();
            case Wire.DATA_IN_CREDIT -> new DataCredit(reader.u32());
            case Wire.TUNNEL_DONE -> new TunnelDone(GuestBytes.of(reader.rest()));
            case Wire.FAULT -> new Fault(reader.text(Wire.MAX_MESSAGE_BYTES));
            case Wire.ATTACHED -> parseAttached(reader);
            case Wire.EXECUTIONS -> parseExecutions(reader);
            case Wire.DONE -> new Done();
            case Wire.SKIPPED -> new Skipped(reader.size());
            case Wire.LEASE_LIST -> new Leases(BusyLease.parseAll(reader));
            case Wire.LEASES_CHANGED -> new LeasesChanged(BusyLease.parseAll(reader));
            default -> throw new ProtocolException("no such type of frame: " + frame.type());
        };
        reader.end();
        return message;
    }

    private static Attached parseAttached(PayloadReader reader) throws ProtocolException {
        long offset = reader.size();
        if (reader.size() < offset) {
            throw new ProtocolException("output begins behind its end");
        }
        return new Attached(offset, reader.u32(), (reader.u8() & 2) != 0);
    }

    private static Executions parseExecutions(PayloadReader reader) throws ProtocolException {
        boolean more = reader.u8() != 0;
        int count = reader.u16();
        List<ExecutionInfo> executions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            executions.add(ExecutionInfo.parse(reader));
        }
        return new Executions(more, List.copyOf(executions));
    }
}
