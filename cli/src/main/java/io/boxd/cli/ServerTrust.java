package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.Harmless;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Java's check of a server's certificate, chain and name, with a {@link Distrust} that says what is wrong with it. */
final class ServerTrust extends X509ExtendedTrustManager {
    /** Where systems keep the certificates that they trust; the first that is there counts. */
    private static final List<Path> SYSTEM = List.of(
            Path.of("/etc/ssl/certs/ca-certificates.crt"),
            Path.of("/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"),
            Path.of("/etc/ssl/ca-bundle.pem"));

    private static final int MOST_NAMES = 5;
    private static final int LONGEST_NAME = 80;

    private final X509ExtendedTrustManager check;

    private ServerTrust(X509ExtendedTrustManager check) {
        this.check = check;
    }

    /** That trusts these certificates in PEM only, or, without any, those that the system trusts. */
    static ServerTrust of(@Nullable String authorities) throws IOException {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(authorities == null ? system() : store(given(authorities)));
            for (TrustManager each : factory.getTrustManagers()) {
                if (each instanceof X509ExtendedTrustManager known) {
                    return new ServerTrust(known);
                }
            }
            throw new IOException("this Java cannot check certificates");
        } catch (GeneralSecurityException e) {
            throw new IOException("the trusted certificates cannot be used: " + e.getMessage(), e);
        }
    }

    /** Refuses a file that has no certificates. */
    static void requireCertificates(String authorities) {
        try {
            given(authorities);
        } catch (GeneralSecurityException e) {
            throw notPem(e);
        }
    }

    private static Collection<? extends Certificate> given(String authorities) throws GeneralSecurityException {
        try (InputStream pem = new ByteArrayInputStream(authorities.getBytes(StandardCharsets.UTF_8))) {
            Collection<? extends Certificate> certificates = certificates(pem);
            if (certificates.isEmpty()) {
                throw notPem(null);
            }
            return certificates;
        } catch (CertificateException | IOException e) {
            throw notPem(e);
        }
    }

    private static BoxdException notPem(@Nullable Throwable cause) {
        return new BoxdException(
                ErrorCode.INVALID_ARGUMENT,
                "the file of trusted certificates has none",
                "It is to have them in PEM: -----BEGIN CERTIFICATE----- and so on.",
                cause);
    }

    /** Null lets Java take its own. */
    private static @Nullable KeyStore system() throws GeneralSecurityException, IOException {
        for (Path file : SYSTEM) {
            if (Files.isReadable(file)) {
                try (InputStream pem = new BufferedInputStream(Files.newInputStream(file))) {
                    return store(certificates(pem));
                }
            }
        }
        return null;
    }

    private static Collection<? extends Certificate> certificates(InputStream pem) throws CertificateException {
        return CertificateFactory.getInstance("X.509").generateCertificates(pem);
    }

    private static KeyStore store(Collection<? extends Certificate> certificates)
            throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int number = 0;
        for (Certificate each : certificates) {
            store.setCertificateEntry("trusted-" + number++, each);
        }
        return store;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        try {
            check.checkServerTrusted(chain, type, socket);
        } catch (CertificateException e) {
            throw reason(chain, type, e);
        }
    }

    /** The same check without the name of the host tells whether that alone was wrong. */
    private Distrust reason(X509Certificate[] chain, String type, CertificateException refused) {
        for (Throwable cause = refused; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateExpiredException || cause instanceof CertificateNotYetValidException) {
                String when = chain[0].getNotBefore().toInstant() + " to "
                        + chain[0].getNotAfter().toInstant();
                return new Distrust(Distrust.Kind.OTHER_TIME, "it is valid from " + when, refused);
            }
        }
        try {
            check.checkServerTrusted(chain, type);
        } catch (CertificateException e) {
            return new Distrust(Distrust.Kind.UNKNOWN_AUTHORITY, "no trusted authority has signed it", refused);
        }
        return new Distrust(Distrust.Kind.OTHER_NAME, "it is for " + names(chain[0]), refused);
    }

    private static String names(X509Certificate certificate) {
        List<String> names = new ArrayList<>();
        try {
            Collection<List<?>> alternatives =
                    Objects.requireNonNullElse(certificate.getSubjectAlternativeNames(), List.of());
            for (List<?> each : alternatives) {
                if (each.get(1) instanceof String name) {
                    names.add(name);
                }
            }
        } catch (CertificateException e) {
            names.clear();
        }
        return names.isEmpty()
                ? "no host"
                : names.stream()
                        .limit(MOST_NAMES)
                        .map(name -> Harmless.cut(name, LONGEST_NAME))
                        .collect(Collectors.joining(", "));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        check.checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        check.checkServerTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        throw noServer();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        throw noServer();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw noServer();
    }

    private static CertificateException noServer() {
        return new CertificateException("this is a client");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return check.getAcceptedIssuers();
    }
}
