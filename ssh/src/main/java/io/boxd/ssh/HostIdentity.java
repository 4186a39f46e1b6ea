package io.boxd.ssh;

import io.boxd.accounts.Secrets;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Durable;
import io.boxd.linux.FileOwner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.sshd.certificate.OpenSshCertificateBuilder;
import org.apache.sshd.common.NamedResource;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.OpenSshCertificate;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.util.security.SecurityUtils;

/**
 * By what clients know this server: a host key, and an authority that vouches for it.
 *
 * <p>Both are made once and kept, in files that OpenSSH reads, too. The certificate is made anew at each start: who
 * trusts the authority knows this server also after its host key was changed.
 */
final class HostIdentity {
    private static final String HOST_KEY = "host_key";
    private static final String AUTHORITY_KEY = "authority_key";
    private static final String PRIVATE_FILE = "rw-------";
    private static final Duration CLOCKS_DIFFER = Duration.ofHours(1);
    private static final int ALIAS_DIGITS = 16;
    private static final Duration VALIDITY = Duration.ofDays(3650);

    private final KeyPair key;
    private final KeyPair authority;
    private final OpenSshCertificate certificate;

    private HostIdentity(KeyPair key, KeyPair authority, OpenSshCertificate certificate) {
        this.key = key;
        this.authority = authority;
        this.certificate = certificate;
    }

    /** The identity in this folder, which only its owner may read; made the first time. */
    static HostIdentity open(Path folder, List<String> names) {
        FileOwner.folder(folder);
        try {
            KeyPair key = key(folder.resolve(HOST_KEY), "boxd host key");
            KeyPair authority = key(folder.resolve(AUTHORITY_KEY), "boxd host authority");
            List<String> all = new ArrayList<>(names);
            all.add(alias(authority.getPublic()));
            return new HostIdentity(key, authority, certificate(key.getPublic(), authority, all));
        } catch (IOException | GeneralSecurityException e) {
            throw failure("the SSH host key in " + folder + " cannot be used", e);
        }
    }

    private static BoxdException failure(String what, Exception cause) {
        return new BoxdException(
                ErrorCode.INTERNAL,
                what + ": " + cause.getMessage(),
                "Restore the file from a backup. If it is removed, a new key is made, and clients will be warned.",
                cause);
    }

    private static KeyPair key(Path file, String comment) throws IOException, GeneralSecurityException {
        if (Files.notExists(file)) {
            Durable.replace(
                    file, text(KeyUtils.generateKeyPair(KeyPairProvider.SSH_ED25519, 256), comment), PRIVATE_FILE);
        }
        try (var content = Files.newInputStream(file)) {
            for (KeyPair pair :
                    SecurityUtils.loadKeyPairIdentities(null, NamedResource.ofName(file.toString()), content, null)) {
                return pair;
            }
        }
        throw new IOException(file + " has no key in it");
    }

    private static byte[] text(KeyPair pair, String comment) throws IOException, GeneralSecurityException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(pair, comment, null, text);
        return text.toByteArray();
    }

    private static OpenSshCertificate certificate(PublicKey key, KeyPair authority, List<String> names)
            throws GeneralSecurityException {
        Instant now = Instant.now();
        try {
            return OpenSshCertificateBuilder.hostCertificate()
                    .id("boxd " + names.getFirst())
                    .publicKey(key)
                    .principals(names)
                    .validAfter(now.minus(CLOCKS_DIFFER))
                    .validBefore(now.plus(VALIDITY))
                    .sign(authority);
        } catch (Exception e) { // as the builder declares it
            throw new GeneralSecurityException("the host key cannot be certified", e);
        }
    }

    private static String alias(PublicKey authority) {
        return "boxd-"
                + HexFormat.of()
                        .formatHex(Secrets.sha256(authority.getEncoded()))
                        .substring(0, ALIAS_DIGITS);
    }

    /** A name that no other server has, under which clients can keep this one, wherever it is. */
    String alias() {
        return alias(authority.getPublic());
    }

    KeyPair key() {
        return key;
    }

    OpenSshCertificate certificate() {
        return certificate;
    }

    /** The host's public key as it stands in files of OpenSSH. */
    String publicKey() {
        return PublicKeyEntry.toString(key.getPublic());
    }

    /** The authority's, for {@code @cert-authority}. */
    String publicAuthority() {
        return PublicKeyEntry.toString(authority.getPublic());
    }
}
