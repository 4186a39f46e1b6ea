package io.boxd.ssh;

import io.boxd.accounts.SshKey;
import java.security.PublicKey;
import org.apache.sshd.common.config.keys.PublicKeyEntry;

/**
 * A key with which a client has signed this very session.
 *
 * @param line as it stands in a file of OpenSSH
 */
record ProvenKey(String fingerprint, String line) {
    static ProvenKey of(PublicKey key) {
        String line = PublicKeyEntry.toString(key);
        return new ProvenKey(SshKey.parse(line).fingerprint(), line);
    }
}
