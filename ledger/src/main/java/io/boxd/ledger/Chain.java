package io.boxd.ledger;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A hash over all commands up to one, in their order: two that are equal followed from the same log.
 *
 * @param hash in hexadecimal digits
 */
record Chain(String hash) {
    private static final int HASH_BYTES = 32;
    private static final HexFormat HEX = HexFormat.of();

    static Chain beginning() {
        return new Chain(HEX.formatHex(new byte[HASH_BYTES]));
    }

    Chain then(long index, byte[] entry) {
        MessageDigest digest = sha256();
        digest.update(HEX.parseHex(hash));
        digest.update(ByteBuffer.allocate(Long.BYTES).putLong(index).flip());
        digest.update(entry);
        return new Chain(HEX.formatHex(digest.digest()));
    }

    /** A row of a table as a number; the sum of those of all rows tells one set of rows from another. */
    static long ofRow(String table, String id, String facts) {
        MessageDigest digest = sha256();
        for (String part : new String[] {table, id, facts}) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            digest.update(
                    ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
            digest.update(bytes);
        }
        return ByteBuffer.wrap(digest.digest()).getLong();
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }
}
