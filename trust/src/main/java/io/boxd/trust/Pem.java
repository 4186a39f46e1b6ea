package io.boxd.trust;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemReader;
import org.bouncycastle.util.io.pem.PemWriter;

/** Keys and certificates as the text that every tool reads. */
public final class Pem {
    private static final String KEY = "PRIVATE KEY";
    private static final String PUBLIC_KEY = "PUBLIC KEY";
    private static final String CERTIFICATE = "CERTIFICATE";

    private Pem() {}

    /** Certificates, one after the other. */
    public static String of(List<X509Certificate> certificates) {
        StringBuilder text = new StringBuilder();
        for (X509Certificate certificate : certificates) {
            try {
                text.append(write(CERTIFICATE, certificate.getEncoded()));
            } catch (CertificateEncodingException e) {
                throw new IllegalStateException("a certificate without an encoding", e);
            }
        }
        return text.toString();
    }

    static String of(PrivateKey key) {
        return write(KEY, key.getEncoded());
    }

    static String of(PublicKey key) {
        return write(PUBLIC_KEY, key.getEncoded());
    }

    private static String write(String type, byte[] content) {
        StringWriter text = new StringWriter();
        try (PemWriter writer = new PemWriter(text)) {
            writer.writeObject(new PemObject(type, content));
        } catch (IOException e) {
            throw new IllegalStateException("text in memory cannot be written", e);
        }
        return text.toString();
    }

    /** The certificates in a file. */
    public static List<X509Certificate> certificates(Path file) {
        try {
            return certificates(text(file));
        } catch (GeneralSecurityException | IOException e) {
            throw unreadable(file, e);
        }
    }

    /** The certificates in a text. */
    static List<X509Certificate> certificates(String text) throws GeneralSecurityException, IOException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        List<X509Certificate> all = new ArrayList<>();
        for (byte[] content : read(text, CERTIFICATE)) {
            all.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(content)));
        }
        return all;
    }

    /** The key in a file. */
    static PrivateKey key(Path file) {
        try {
            return key(text(file));
        } catch (GeneralSecurityException | IOException | IllegalArgumentException e) {
            throw unreadable(file, e);
        }
    }

    /** The key in a text. */
    static PrivateKey key(String text) throws GeneralSecurityException, IOException {
        byte[] content = read(text, KEY).getFirst();
        return factory(PrivateKeyInfo.getInstance(content).getPrivateKeyAlgorithm())
                .generatePrivate(new PKCS8EncodedKeySpec(content));
    }

    /** The key in a file that belongs to the secret one beside it. */
    static PublicKey publicKey(Path file) {
        try {
            byte[] content = read(text(file), PUBLIC_KEY).getFirst();
            return factory(SubjectPublicKeyInfo.getInstance(content).getAlgorithm())
                    .generatePublic(new X509EncodedKeySpec(content));
        } catch (GeneralSecurityException | IOException | IllegalArgumentException e) {
            throw unreadable(file, e);
        }
    }

    private static KeyFactory factory(AlgorithmIdentifier algorithm) throws GeneralSecurityException {
        boolean curve = algorithm.getAlgorithm().getId().startsWith("1.2.840.10045.");
        return KeyFactory.getInstance(curve ? "EC" : "RSA");
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.US_ASCII);
    }

    private static List<byte[]> read(String text, String type) throws IOException {
        List<byte[]> all = new ArrayList<>();
        try (PemReader reader = new PemReader(new StringReader(text))) {
            for (PemObject object = reader.readPemObject(); object != null; object = reader.readPemObject()) {
                if (object.getType().equals(type)) {
                    all.add(object.getContent());
                }
            }
        }
        if (all.isEmpty()) {
            throw new IOException("it has no " + type.toLowerCase(Locale.ROOT));
        }
        return all;
    }

    private static BoxdException unreadable(Path file, Exception cause) {
        return new BoxdException(
                ErrorCode.INTERNAL,
                file + " cannot be read: " + cause.getMessage(),
                "Put it back from a copy. Without one, move it away: a new one is made, and who trusted the old one"
                        + " must trust the new.",
                cause);
    }
}
