package io.boxd.certificates;

import io.boxd.trust.Credentials;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.StandardConstants;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Shows each client the certificate of the name that it asks for.
 *
 * <p>TLS asks in three steps: for an alias, then for what belongs to it. The alias is of one certificate, not of a
 * name, so that key and certificate fit even if another is put on the shelf between the steps.
 */
final class ShownByName extends X509ExtendedKeyManager {
    /** So many that no handshake takes as long as it takes to replace them. */
    private static final int MOST_REMEMBERED = 16_384;

    private final Supplier<Shelf> shelf;
    private final Map<String, Credentials> chosen = new ConcurrentHashMap<>();

    ShownByName(Supplier<Shelf> shelf) {
        this.shelf = shelf;
    }

    private @Nullable String choose(String keyType, @Nullable SSLSession session) {
        Credentials shown = shelf.get().find(host(session));
        if (!keyType.startsWith(shown.key().getAlgorithm())) {
            return null;
        }
        if (chosen.size() > MOST_REMEMBERED) {
            chosen.clear();
        }
        String alias = shown.certificate().getSerialNumber().toString(Character.MAX_RADIX) + " of "
                + shown.certificate().getIssuerX500Principal().getName();
        chosen.put(alias, shown);
        return alias;
    }

    private static String host(@Nullable SSLSession session) {
        if (!(session instanceof ExtendedSSLSession extended)) {
            return "";
        }
        List<SNIServerName> names = extended.getRequestedServerNames();
        return names.stream()
                .filter(name -> name.getType() == StandardConstants.SNI_HOST_NAME)
                .map(name -> name instanceof SNIHostName host ? host.getAsciiName() : "")
                .findFirst()
                .orElse("");
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return choose(keyType, socket instanceof SSLSocket tls ? tls.getHandshakeSession() : null);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
            String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        return choose(keyType, engine == null ? null : engine.getHandshakeSession());
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        Credentials shown = chosen.get(alias);
        return shown == null ? null : shown.chain().toArray(X509Certificate[]::new);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        Credentials shown = chosen.get(alias);
        return shown == null ? null : shown.key();
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseClientAlias(
            String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null;
    }
}
