package io.boxd.vmm;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Random ids, short enough for QEMU's node names and long enough never to meet. */
final class Ids {
    private static final SecureRandom RANDOM = new SecureRandom();

    private Ids() {}

    static String random() {
        byte[] bytes = new byte[8];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
