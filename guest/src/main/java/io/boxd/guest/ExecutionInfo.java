package io.boxd.guest;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What a machine says about one of its executions; claims, not proofs.
 *
 * @param number counts the machine's executions since its agent started
 * @param command its arguments, shortened
 * @param status how it ended; nothing while it runs
 * @param clients how many listen to it now
 * @param lastInput when somebody last wrote to it, if ever
 * @param lastOutput when it last said something, if ever
 * @param inputBytes what was written to it so far
 * @param keptFrom the first offset of its output that can still be read
 * @param outputBytes what it has said so far, and the offset behind its last byte
 * @param cpuTime of its process and of the children that it has waited for
 * @param keepErrno the machine's error because of which less output is kept than was asked for, or 0
 */
public record ExecutionInfo(
        ExecutionId id,
        long number,
        long pid,
        String command,
        String user,
        boolean terminal,
        boolean inputOpen,
        int clients,
        Optional<ExitStatus> status,
        Instant started,
        Optional<Instant> ended,
        Optional<Instant> lastInput,
        Optional<Instant> lastOutput,
        long inputBytes,
        long keptFrom,
        long outputBytes,
        Duration cpuTime,
        int keepErrno) {
    private static final int MAX_COMMAND_BYTES = 256;
    private static final int MAX_USER_BYTES = 64;
    private static final int TERMINAL_FLAG = 1;
    private static final int INPUT_FLAG = 2;
    private static final int CORE_FLAG = 4;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_MICRO = 1_000L;

    public boolean running() {
        return status.isEmpty();
    }

    static ExecutionInfo parse(PayloadReader reader) throws ProtocolException {
        ExecutionId id = ExecutionId.of(reader.bytes(Wire.EXECUTION_ID_BYTES));
        long number = reader.s64();
        long pid = reader.u32();
        int state = reader.u8();
        int code = reader.u8();
        int flags = reader.u8();
        int clients = reader.u16();
        String command = reader.text(MAX_COMMAND_BYTES);
        String user = reader.text(MAX_USER_BYTES);
        long started = reader.s64();
        long ended = reader.s64();
        long lastInput = reader.s64();
        long lastOutput = reader.s64();
        return new ExecutionInfo(
                id,
                number,
                pid,
                command,
                user,
                (flags & TERMINAL_FLAG) != 0,
                (flags & INPUT_FLAG) != 0,
                clients,
                status(state, code, flags),
                instant(started),
                moment(ended),
                moment(lastInput),
                moment(lastOutput),
                reader.size(),
                reader.size(),
                reader.size(),
                Duration.ofNanos(Math.min(reader.size(), Long.MAX_VALUE / NANOS_PER_MICRO) * NANOS_PER_MICRO),
                reader.s32());
    }

    private static Optional<ExitStatus> status(int state, int code, int flags) throws ProtocolException {
        return switch (state) {
            case 0 -> Optional.empty();
            case 1 -> Optional.of(new ExitStatus.Exited(code));
            case 2 -> Optional.of(new ExitStatus.Killed(code, (flags & CORE_FLAG) != 0));
            default -> throw new ProtocolException("an execution is in a state that does not exist");
        };
    }

    private static Optional<Instant> moment(long nanos) {
        return nanos == 0 ? Optional.empty() : Optional.of(instant(nanos));
    }

    private static Instant instant(long nanos) {
        return Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS_PER_SECOND), Math.floorMod(nanos, NANOS_PER_SECOND));
    }
}
