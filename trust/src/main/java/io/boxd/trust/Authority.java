package io.boxd.trust;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Durable;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.GeneralSubtree;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.NameConstraints;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * A certificate authority of this instance: one key that says of others whose they are.
 *
 * <p>Made once and kept in a folder that only its owner reads; who trusts its certificate trusts all that it
 * certifies, now and later. One that people install can be bound to names, so that it can never speak for others.
 */
public final class Authority {
    private static final Duration VALIDITY = Duration.ofDays(3650);
    /** Clocks are not all right. */
    private static final Duration EARLIER = Duration.ofHours(1);

    private static final int SERIAL_BITS = 127;
    private static final String SIGNATURE = "SHA256withECDSA";
    private static final String KEY_FILE = "key.pem";
    private static final String CERTIFICATE_FILE = "certificate.pem";

    private final Path folder;
    private final Credentials own;

    private Authority(Path folder, Credentials own) {
        this.folder = folder;
        this.own = own;
    }

    /**
     * The authority in this folder, made the first time.
     *
     * @param names under which all that it certifies must lie, if it is made now; none: any
     */
    public static Authority open(Path folder, String name, List<String> names) {
        try {
            if (!Files.exists(folder)) {
                make(folder, name, names);
            }
        } catch (IOException e) {
            throw Durable.failure("the certificate authority in " + folder + " could not be made", e);
        }
        PrivateKey key = Pem.key(folder.resolve(KEY_FILE));
        return new Authority(folder, new Credentials(key, Pem.certificates(folder.resolve(CERTIFICATE_FILE))));
    }

    private static void make(Path folder, String name, List<String> names) throws IOException {
        Path parent = Objects.requireNonNull(folder.toAbsolutePath().getParent());
        Files.createDirectories(parent);
        Path unfinished = Files.createTempDirectory(
                parent,
                "authority",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        KeyPair pair = Keys.fresh();
        X500Name subject = commonName(name);
        X509v3CertificateBuilder builder = builder(subject, subject, pair.getPublic(), Instant.now(), VALIDITY);
        JcaX509ExtensionUtils extensions = extensions();
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
        builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
        builder.addExtension(
                Extension.subjectKeyIdentifier, false, extensions.createSubjectKeyIdentifier(pair.getPublic()));
        if (!names.isEmpty()) {
            GeneralSubtree[] permitted = names.stream()
                    .map(domain -> new GeneralSubtree(new GeneralName(GeneralName.dNSName, domain)))
                    .toArray(GeneralSubtree[]::new);
            builder.addExtension(Extension.nameConstraints, true, new NameConstraints(permitted, null));
        }
        X509Certificate certificate = sign(builder, pair.getPrivate());
        Durable.write(unfinished.resolve(KEY_FILE), Pem.of(pair.getPrivate()).getBytes(StandardCharsets.US_ASCII));
        Durable.write(
                unfinished.resolve(CERTIFICATE_FILE),
                Pem.of(List.of(certificate)).getBytes(StandardCharsets.US_ASCII));
        Durable.publish(unfinished, folder);
    }

    /** The certificate that others are to trust. */
    public X509Certificate certificate() {
        return own.certificate();
    }

    /** The file with it. */
    public Path certificateFile() {
        return folder.resolve(CERTIFICATE_FILE);
    }

    /** A new key, certified for both sides of TLS. */
    public Credentials issue(Subject subject) {
        return issue(subject, Instant.now());
    }

    /** The same, from this moment on. */
    public Credentials issue(Subject subject, Instant now) {
        KeyPair pair = Keys.fresh();
        try {
            X509v3CertificateBuilder builder = builder(
                    X500Name.getInstance(
                            own.certificate().getSubjectX500Principal().getEncoded()),
                    commonName(subject.commonName()),
                    pair.getPublic(),
                    now,
                    subject.validity());
            JcaX509ExtensionUtils extensions = extensions();
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(new KeyPurposeId[] {
                KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth
            }));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    extensions.createAuthorityKeyIdentifier(own.certificate()));
            List<GeneralName> reached = new ArrayList<>();
            subject.names().forEach(name -> reached.add(new GeneralName(GeneralName.dNSName, name)));
            subject.addresses()
                    .forEach(address -> reached.add(new GeneralName(GeneralName.iPAddress, address.getHostAddress())));
            if (!reached.isEmpty()) {
                builder.addExtension(
                        Extension.subjectAlternativeName, false, new GeneralNames(reached.toArray(GeneralName[]::new)));
            }
            X509Certificate certificate = sign(builder, own.key());
            return new Credentials(pair.getPrivate(), List.of(certificate, own.certificate()));
        } catch (IOException | GeneralSecurityException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "no certificate could be made for " + subject.commonName(), e);
        }
    }

    private static X509v3CertificateBuilder builder(
            X500Name issuer, X500Name subject, PublicKey key, Instant now, Duration validity) {
        return new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(SERIAL_BITS, new SecureRandom()).add(BigInteger.ONE),
                Date.from(now.minus(EARLIER)),
                Date.from(now.plus(validity)),
                subject,
                key);
    }

    private static X500Name commonName(String name) {
        return new X500NameBuilder(BCStyle.INSTANCE).addRDN(BCStyle.CN, name).build();
    }

    private static JcaX509ExtensionUtils extensions() {
        try {
            return new JcaX509ExtensionUtils();
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every Java has SHA-1 for key identifiers", e);
        }
    }

    private static X509Certificate sign(X509v3CertificateBuilder builder, PrivateKey key) {
        try {
            return new JcaX509CertificateConverter()
                    .getCertificate(builder.build(new JcaContentSignerBuilder(SIGNATURE).build(key)));
        } catch (OperatorCreationException | GeneralSecurityException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "a certificate could not be signed", e);
        }
    }
}
