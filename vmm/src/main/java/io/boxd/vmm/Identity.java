package io.boxd.vmm;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.UUID;

/**
 * What makes a machine itself and must never be shared with the one it was made from.
 *
 * @param hostname as the guest will call itself
 * @param machineId 32 hexadecimal digits
 * @param bootId of this start or fork
 * @param generation counts renewals of one lineage; only ever grows
 */
public record Identity(String hostname, String machineId, String bootId, long generation) {
    private static final SecureRandom RANDOM = new SecureRandom();

    /** The same machine, started once more from something that was kept of it. */
    public Identity next() {
        return new Identity(hostname, machineId, bootId, generation + 1);
    }

    /** An identity that nobody has had before. */
    public static Identity fresh(String hostname, long generation) {
        byte[] id = new byte[16];
        RANDOM.nextBytes(id);
        return new Identity(
                hostname, HexFormat.of().formatHex(id), UUID.randomUUID().toString(), generation);
    }
}
