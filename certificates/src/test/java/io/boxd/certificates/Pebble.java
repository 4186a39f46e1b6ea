package io.boxd.certificates;

import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.trust.Authority;
import io.boxd.trust.Credentials;
import io.boxd.trust.Subject;
import io.boxd.trust.Trust;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A real ACME server, as those who write them test clients with it. */
final class Pebble implements AutoCloseable {
    private static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");

    private final Process process;
    private final int port;
    private final int managementPort;
    private final Path believed;
    private final HttpClient client;

    private Pebble(Process process, int port, int managementPort, Path believed, HttpClient client) {
        this.process = process;
        this.port = port;
        this.managementPort = managementPort;
        this.believed = believed;
        this.client = client;
    }

    /**
     * Starts one that believes what this DNS server says and looks at this port instead of 80.
     *
     * @param program the server itself
     */
    static Pebble start(String program, Path folder, int dnsPort, int httpPort) throws IOException {
        Authority authority = Authority.open(folder.resolve("pebble-ca"), "pebble", List.of());
        Credentials own =
                authority.issue(new Subject("pebble", List.of("localhost"), List.of(HERE), Duration.ofDays(1)));
        Path secret = folder.resolve("pebble.pem");
        own.keep(secret);
        int port = freePort();
        int managementPort = freePort();
        Path config = folder.resolve("pebble.json");
        Files.writeString(
                config,
                Json.write(Map.of(
                        "pebble",
                        Map.of(
                                "listenAddress",
                                "127.0.0.1:" + port,
                                "managementListenAddress",
                                "127.0.0.1:" + managementPort,
                                "certificate",
                                secret.toString(),
                                "privateKey",
                                secret.toString(),
                                "httpPort",
                                httpPort,
                                "tlsPort",
                                httpPort))));
        ProcessBuilder builder = new ProcessBuilder(
                program, "-strict", "-config", config.toString(), "-dnsserver", "127.0.0.1:" + dnsPort);
        builder.environment().put("PEBBLE_VA_NOSLEEP", "1");
        Process process = builder.redirectErrorStream(true).start();
        Thread.ofVirtual().start(() -> drain(process, folder.resolve("pebble.log")));
        HttpClient client = HttpClient.newBuilder()
                .sslContext(Trust.asking(List.of(authority.certificate())))
                .build();
        Pebble pebble = new Pebble(process, port, managementPort, authority.certificateFile(), client);
        pebble.awaitStart(folder.resolve("pebble.log"));
        return pebble;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, HERE)) {
            return socket.getLocalPort();
        }
    }

    private static void drain(Process process, Path log) {
        try (InputStream out = process.getInputStream()) {
            Files.copy(out, log);
        } catch (IOException _) {
            // It has ended.
        }
    }

    /** It says that it listens a little before it does. */
    private void awaitStart(Path log) throws IOException {
        Deadline deadline = Deadline.inSeconds(30);
        while (!answers()) {
            try {
                if (deadline.passed() || process.waitFor(50, TimeUnit.MILLISECONDS)) {
                    close();
                    throw new IOException("pebble does not answer: " + Files.readString(log));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
        }
    }

    private boolean answers() {
        return listens(port) && listens(managementPort);
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(HERE, port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    AcmeConfig config(Proof proof) {
        return new AcmeConfig(
                URI.create("https://127.0.0.1:" + port + "/dir"),
                List.of("operator@boxes.example"),
                proof,
                Optional.of(believed),
                Optional.empty());
    }

    private String management(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + managementPort + path))
                .timeout(Duration.ofSeconds(20))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    /** Of whom all that it certifies is. */
    X509Certificate root() throws Exception {
        byte[] pem = management("/roots/0").getBytes(StandardCharsets.US_ASCII);
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem));
    }

    /** Whether it tells everybody not to believe this one. */
    boolean hasRevoked(X509Certificate certificate) throws IOException, InterruptedException {
        return management("/cert-status-by-serial/"
                        + certificate.getSerialNumber().toString(16))
                .contains("\"Revoked\"");
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().orTimeout(10, TimeUnit.SECONDS).join();
    }
}
