package io.boxd.accounts;

import java.time.Instant;

/**
 * An SSH key by which a user is known.
 *
 * @param fingerprint as OpenSSH prints it
 * @param material the public key in Base64, as it stands in its file
 */
public record KeyRow(String fingerprint, String user, String type, String material, String comment, Instant addedAt)
        implements AccountRow {
    public static KeyRow of(SshKey key, String user, Instant at) {
        return new KeyRow(key.fingerprint(), user, key.type(), key.material(), key.comment(), at);
    }

    @Override
    public String key() {
        return fingerprint;
    }
}
