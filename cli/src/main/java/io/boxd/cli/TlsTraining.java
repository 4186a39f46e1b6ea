package io.boxd.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** The part of the {@link Training} that speaks TLS, with a certificate that is made for it by Java's own program. */
final class TlsTraining {
    private static final String PASSWORD = "training";
    private static final int KEYTOOL_SECONDS = 60;

    /** Runs a line of the command. */
    interface Line {
        void run(Map<String, String> environment, String... words);
    }

    /** Answers whoever connects until the listener is closed. */
    interface Answer {
        void give(ServerSocket listener);
    }

    private final Path folder;

    TlsTraining(Path folder) {
        this.folder = folder;
    }

    void run(Answer answer, Line line) throws IOException {
        String here = "san=ip:127.0.0.1";
        keytool("-genkeypair", "-alias", "authority", "-keyalg", "RSA", "-dname", "CN=authority", "-ext", "bc:c");
        keytool(
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=server",
                "-ext",
                here,
                "-signer",
                "authority");
        Path authority = folder.resolve("authority.pem");
        keytool("-exportcert", "-rfc", "-alias", "authority", "-file", authority.toString());
        try (ServerSocket listener = listener()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Thread.ofVirtual().start(() -> answer.give(listener));
            Map<String, String> environment = Map.of(
                    "BOXD_URL",
                    "https://127.0.0.1:" + listener.getLocalPort(),
                    "BOXD_TOKEN",
                    "training",
                    "BOXD_CA",
                    authority.toString());
            line.run(environment, "list");
            line.run(environment, "exec", "task-1", "true");
        }
    }

    private Path store() {
        return folder.resolve("store");
    }

    private void keytool(String... words) throws IOException {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        line.addAll(List.of(words));
        line.addAll(List.of("-keystore", store().toString(), "-storepass", PASSWORD));
        Process process = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!process.waitFor(KEYTOOL_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException("keytool made no certificate");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private ServerSocket listener() throws IOException {
        try (InputStream input = Files.newInputStream(store())) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(input, PASSWORD.toCharArray());
            keys.deleteEntry("authority");
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(keys, PASSWORD.toCharArray());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(factory.getKeyManagers(), null, null);
            return context.getServerSocketFactory().createServerSocket();
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }
}
