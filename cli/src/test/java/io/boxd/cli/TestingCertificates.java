package io.boxd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** An authority and servers with certificates of all kinds, made by the JDK's {@code keytool}. */
final class TestingCertificates {
    /** Signed by the authority, for this machine. */
    static final String GOOD = "good";
    /** Signed by the authority, for another host. */
    static final String OTHER_HOST = "other";
    /** Signed by the authority, and over. */
    static final String EXPIRED = "expired";
    /** For this machine, signed by itself. */
    static final String STRANGER = "stranger";

    private static final char[] PASSWORD = "password".toCharArray();
    private static final String HERE = "san=ip:127.0.0.1,dns:localhost";

    private final Path folder;

    private TestingCertificates(Path folder) {
        this.folder = folder;
    }

    static TestingCertificates make(Path folder) throws IOException, InterruptedException {
        TestingCertificates made = new TestingCertificates(folder);
        made.pair("authority", "bc:c", "-validity", "30");
        made.pair(GOOD, HERE, "-signer", "authority", "-validity", "30");
        made.pair(OTHER_HOST, "san=dns:other.example", "-signer", "authority", "-validity", "30");
        made.pair(EXPIRED, HERE, "-signer", "authority", "-startdate", "-10d", "-validity", "5");
        made.pair(STRANGER, HERE, "-validity", "30");
        made.keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "authority",
                "-file",
                made.authority().toString());
        return made;
    }

    /** The authority's certificate, in PEM. */
    Path authority() {
        return folder.resolve("authority.pem");
    }

    private Path store() {
        return folder.resolve("store.p12");
    }

    private void pair(String alias, String extension, String... more) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("-genkeypair", "-alias", alias, "-keyalg", "EC"));
        words.addAll(List.of("-dname", "CN=" + alias, "-ext", extension));
        words.addAll(List.of(more));
        keytool(words.toArray(String[]::new));
    }

    private void keytool(String... words) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        line.addAll(List.of(words));
        line.addAll(List.of("-keystore", store().toString(), "-storepass", new String(PASSWORD)));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    /** A listener that is not bound yet and shows this certificate. */
    ServerSocket listener(String alias) throws IOException, GeneralSecurityException {
        KeyStore all = KeyStore.getInstance("PKCS12");
        try (InputStream input = Files.newInputStream(store())) {
            all.load(input, PASSWORD);
        }
        KeyStore one = KeyStore.getInstance("PKCS12");
        one.load(null, null);
        one.setKeyEntry(alias, all.getKey(alias, PASSWORD), PASSWORD, all.getCertificateChain(alias));
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(one, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context.getServerSocketFactory().createServerSocket();
    }

    TestingServer server(String alias) throws IOException, GeneralSecurityException {
        return new TestingServer(listener(alias), 0, "https");
    }
}
