package io.boxd.trust;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** What TLS needs to believe certain authorities and no others. */
public final class Trust {
    private Trust() {}

    /** Believes these. */
    public static X509TrustManager in(List<X509Certificate> authorities) {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (int i = 0; i < authorities.size(); i++) {
                store.setCertificateEntry("authority-" + i, authorities.get(i));
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            for (TrustManager manager : factory.getTrustManagers()) {
                if (manager instanceof X509TrustManager found) {
                    return found;
                }
            }
            throw new GeneralSecurityException("no trust manager for X.509");
        } catch (GeneralSecurityException | IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "certificates cannot be trusted on this Java", e);
        }
    }

    /** For whoever asks others with TLS, and believes these authorities only. */
    public static SSLContext asking(List<X509Certificate> authorities) {
        return context("TLS", null, in(authorities));
    }

    /** For whoever is asked with TLS, and shows what the manager chooses. */
    public static SSLContext showing(X509ExtendedKeyManager shown) {
        return context("TLS", shown, null);
    }

    /** Two that know each other by an authority: the other side must show a certificate of it, too, if it is asked. */
    public static SSLContext mutual(Credentials own, X509Certificate authority) {
        return context("TLSv1.3", own.keyManager(), in(List.of(authority)));
    }

    private static SSLContext context(
            String protocol, @Nullable X509ExtendedKeyManager shown, @Nullable X509TrustManager believed) {
        try {
            SSLContext context = SSLContext.getInstance(protocol);
            context.init(
                    shown == null ? null : new KeyManager[] {shown},
                    believed == null ? null : new TrustManager[] {believed},
                    new SecureRandom());
            return context;
        } catch (GeneralSecurityException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "TLS does not work on this Java", e);
        }
    }
}
