package io.boxd.trust;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Durable;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * A private key and the certificates that say whose it is, its own first.
 *
 * <p>Not written anywhere by itself: the key is shown to nobody but TLS, and to whoever asks for it as text.
 */
public record Credentials(PrivateKey key, List<X509Certificate> chain) {
    private static final String ALIAS = "boxd";

    public Credentials {
        chain = List.copyOf(chain);
        if (chain.isEmpty()) {
            throw new IllegalArgumentException("credentials need a certificate");
        }
    }

    /** From what {@link #pem} has written. */
    public static Credentials of(String pem) {
        try {
            return new Credentials(Pem.key(pem), Pem.certificates(pem));
        } catch (GeneralSecurityException | IOException | IllegalArgumentException e) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "no key with its certificate: " + e.getMessage(), e);
        }
    }

    /** The key and the certificates as text, for a file that only its owner reads. */
    public String pem() {
        return Pem.of(key) + Pem.of(chain);
    }

    public X509Certificate certificate() {
        return chain.getFirst();
    }

    /** Keeps them in one file that only its owner reads, so that key and certificates always fit. */
    public void keep(Path file) {
        try {
            Durable.replace(file, pem().getBytes(StandardCharsets.US_ASCII), "rw-------");
        } catch (IOException e) {
            throw Durable.failure("a certificate could not be kept in " + file, e);
        }
    }

    /** Those that were kept in this file. */
    public static Credentials kept(Path file) {
        return new Credentials(Pem.key(file), Pem.certificates(file));
    }

    /** What a TLS context needs to be this. */
    public X509ExtendedKeyManager keyManager() {
        return new Always();
    }

    /** There is one key only, whatever the other side asks for. */
    private final class Always extends X509ExtendedKeyManager {
        @Override
        public String[] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String chooseClientAlias(String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return ALIAS;
        }

        @Override
        public String chooseEngineClientAlias(
                String[] keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return ALIAS;
        }

        @Override
        public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return fits(keyType) ? ALIAS : null;
        }

        @Override
        public @Nullable String chooseEngineServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return fits(keyType) ? ALIAS : null;
        }

        private boolean fits(String keyType) {
            return keyType.startsWith(key.getAlgorithm());
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return chain.toArray(X509Certificate[]::new);
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return key;
        }
    }

    @Override
    public String toString() {
        return "credentials of " + certificate().getSubjectX500Principal();
    }
}
