package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * What a machine is to become: its new names and numbers, and which of them to set.
 *
 * <p>Fresh entropy and the time of day are added when it is sent.
 */
public record Renewal(Set<RenewalStep> steps, String hostname, String machineId, UUID bootId, long generation) {
    private static final Pattern MACHINE_ID = Pattern.compile("[0-9a-f]{32}");
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    public Renewal {
        if (!MACHINE_ID.matcher(machineId).matches()) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "a machine id has 32 lower-case hexadecimal digits");
        }
        steps = Set.copyOf(steps);
    }

    /** Everything anew, as a fork needs it. */
    public static Renewal full(String hostname, String machineId, UUID bootId, long generation) {
        return new Renewal(EnumSet.allOf(RenewalStep.class), hostname, machineId, bootId, generation);
    }

    /** Only the time of day, for a machine that is the same as before. */
    public static Renewal clockOnly() {
        return new Renewal(Set.of(RenewalStep.CLOCK), "", "0".repeat(32), new UUID(0, 0), 0);
    }

    byte[] encode(byte[] entropy, Instant now) {
        int mask = steps.stream().mapToInt(RenewalStep::bit).reduce(0, (all, bit) -> all | bit);
        return new PayloadWriter()
                .u16(mask)
                .bytes(entropy)
                .u64(now.getEpochSecond() * NANOS_PER_SECOND + now.getNano())
                .text(hostname, Wire.MAX_NAME_BYTES)
                .bytes(machineId.getBytes(StandardCharsets.US_ASCII))
                .bytes(bootId.toString().getBytes(StandardCharsets.US_ASCII))
                .u64(generation)
                .toBytes();
    }
}
