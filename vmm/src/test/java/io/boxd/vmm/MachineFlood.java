package io.boxd.vmm;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.boxd.common.Deadline;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.Execution;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;

/**
 * Output of a machine that costs it little and in which no two places look alike: numbered copies of a random block.
 */
record MachineFlood(int blocks) {
    private static final int BLOCK_BYTES = 1 << 20;

    /** Gives the machine the block that all floods are made of. */
    static void prepare(Machine machine) throws IOException {
        ExecRequest request =
                ExecRequest.argv("/bin/sh", "-c", "cat > /tmp/block").withStdin(true);
        try (Execution execution = machine.agent().start(request, Deadline.inSeconds(60))) {
            try (OutputStream stdin = execution.stdin()) {
                stdin.write(block());
            }
            execution.await(Deadline.inSeconds(60));
        }
    }

    ExecRequest request() {
        String loop = "i=0; while [ $i -lt " + blocks + " ]; do echo $i; cat /tmp/block; i=$((i+1)); done";
        return ExecRequest.argv("/bin/sh", "-c", loop);
    }

    long bytes() {
        long bytes = 0;
        for (int i = 0; i < blocks; i++) {
            bytes += header(i).length + BLOCK_BYTES;
        }
        return bytes;
    }

    String sha256From(long offset) {
        MessageDigest digest = sha256();
        byte[] block = block();
        long at = 0;
        for (int i = 0; i < blocks; i++) {
            at = update(digest, header(i), at, offset);
            at = update(digest, block, at, offset);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static long update(MessageDigest digest, byte[] bytes, long at, long offset) {
        int skipped = Math.clamp(offset - at, 0, bytes.length);
        digest.update(bytes, skipped, bytes.length - skipped);
        return at + bytes.length;
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] header(int number) {
        return (number + "\n").getBytes(US_ASCII);
    }

    private static byte[] block() {
        byte[] block = new byte[BLOCK_BYTES];
        new Random(17).nextBytes(block);
        return block;
    }
}
