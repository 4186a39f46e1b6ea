package io.boxd.guest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Something inside a machine has said that the machine must not be put to sleep for a while.
 *
 * @param name what its owner calls it
 * @param user the owner's user number in the machine
 * @param left how much longer, in the machine's own running time
 * @param held whether it ends earlier with the program that holds it
 */
public record BusyLease(String name, long user, long pid, Duration left, boolean held) {
    /** More than an agent grants mean that it is none. */
    private static final int MAX_LEASES = 64;

    private static final int MAX_NAME_BYTES = 64;
    private static final long MAX_LEFT_MILLIS = Duration.ofHours(24).toMillis();

    static List<BusyLease> parseAll(PayloadReader reader) throws ProtocolException {
        int count = reader.u16();
        if (count > MAX_LEASES) {
            throw new ProtocolException("it claims " + count + " leases");
        }
        List<BusyLease> leases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            leases.add(new BusyLease(
                    reader.text(MAX_NAME_BYTES),
                    reader.u32(),
                    reader.u32(),
                    Duration.ofMillis(Math.min(reader.size(), MAX_LEFT_MILLIS)),
                    reader.u8() != 0));
        }
        return List.copyOf(leases);
    }
}
