package io.boxd.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command over HTTPS: that everything works there, and that it speaks to nobody but the right server. */
@Tag("unit")
@Timeout(60)
final class TlsTest {
    private static final String EXEC = "SOCKET /v1/boxes/b/exec";

    @TempDir
    private static Path folder;

    private static TestingCertificates certificates;

    @BeforeAll
    static void makeCertificates() throws IOException, InterruptedException {
        certificates = TestingCertificates.make(folder);
    }

    private static Map<String, String> trusting(TestingServer server) {
        Map<String, String> environment = new HashMap<>(server.environment());
        environment.put("BOXD_CA", certificates.authority().toString());
        return environment;
    }

    @Test
    void requestsAndStreamsAndFilesGoThrough(@TempDir Path here) throws IOException, GeneralSecurityException {
        byte[] large = new byte[3_000_000];
        for (int i = 0; i < large.length; i++) {
            large[i] = (byte) ((i * 31) >> 3);
        }
        try (TestingServer server = certificates.server(TestingCertificates.GOOD)) {
            server.json("GET /v1/boxes", 200, "[]");
            assertThat(Ran.line(trusting(server), "list")).isEqualTo(new Ran(0, Ran.NO_BOXES, ""));
            server.on(EXEC, (heard, exchange) -> {
                exchange.accept();
                exchange.started("ex_1", 0, false);
                exchange.say(Map.of("input_credit", 1000));
                exchange.output(1, "heard " + exchange.text());
                exchange.output(2, "y".repeat(30_000));
                exchange.ended(42);
            });
            Ran exec = Ran.withInput(
                    trusting(server),
                    new ByteArrayInputStream("typed".getBytes(StandardCharsets.UTF_8)),
                    "exec",
                    "b",
                    "x");
            assertThat(exec).isEqualTo(new Ran(42, "heard input:typed", "y".repeat(30_000)));
            server.on("SOCKET /v1/boxes/b/logs", (heard, exchange) -> {
                exchange.accept();
                exchange.started("ex_1", 0, false);
                exchange.output(1, "said");
                exchange.ended(0);
            });
            assertThat(Ran.line(trusting(server), "logs", "b")).isEqualTo(new Ran(0, "said", ""));
            server.json("GET /v1/boxes/b/stat", 200, "{\"type\":\"file\",\"mode\":\"0644\"}");
            server.on("GET /v1/boxes/b/files", (heard, exchange) -> exchange.bytes(200, Map.of(), large));
            Path copy = here.resolve("copy");
            assertThat(Ran.line(trusting(server), "cp", "b:large", copy.toString())
                            .status())
                    .isZero();
            assertThat(Files.readAllBytes(copy)).isEqualTo(large);
            server.on("PUT /v1/boxes/b/files", (TestingServer.Streaming) (heard, exchange) -> {
                byte[] got = exchange.content().readAllBytes();
                assertThat(got).isEqualTo(large);
                exchange.json(200, "{\"bytes\":" + got.length + "}");
            });
            assertThat(Ran.line(trusting(server), "cp", copy.toString(), "b:again"))
                    .isEqualTo(new Ran(0, "", ""));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            good     | false | no trusted authority has signed it | --ca FILE
            stranger | true  | no trusted authority has signed it | --ca FILE
            other    | true  | it is for other.example            | host's name
            expired  | true  | it is valid from                   | clock
            """)
    void nothingIsSaidToAServerThatCannotProveItself(String alias, boolean trusting, String message, String hint)
            throws IOException, GeneralSecurityException {
        try (TestingServer server = certificates.server(alias)) {
            server.json("GET /v1/boxes", 200, "[]");
            Ran ran = Ran.line(trusting ? trusting(server) : server.environment(), "list");
            assertThat(ran.status()).isEqualTo(7);
            assertThat(ran.errors()).contains(message, hint, server.url());
            assertThat(ran.output()).isEmpty();
            assertThat(server.heard()).isEmpty();
        }
    }

    /** A way to begin TLS. */
    interface Greeting {
        Socket over(Socket plain, ServerAddress address) throws IOException;
    }

    /** Fails if a connection comes about with a server that should not be trusted. */
    private static void requireDistrust(Greeting greeting, String alias) throws IOException, GeneralSecurityException {
        try (ServerSocket listener = certificates.listener(alias)) {
            listener.bind(null);
            CountDownLatch checked = new CountDownLatch(1);
            Thread server = Thread.ofVirtual().start(() -> {
                try (Socket socket = listener.accept()) {
                    ((SSLSocket) socket).startHandshake();
                    checked.await();
                } catch (IOException | InterruptedException e) {
                    return; // the client has left, as it should
                }
            });
            ServerUrl url = new ServerUrl(true, "127.0.0.1", listener.getLocalPort());
            ServerAddress address = new ServerAddress(
                    url, "x", Files.readString(certificates.authority()), ServerAddress.Reach.LOOPBACK, "test");
            try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort())) {
                assertThatThrownBy(() -> greeting.over(plain, address)).isInstanceOf(IOException.class);
            } finally {
                checked.countDown();
                server.interrupt();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"stranger", "other", "expired"})
    void aGreetingWithoutChecksWouldBeNoticed(String alias) throws IOException, GeneralSecurityException {
        requireDistrust(Tls::over, alias);
        assertThatThrownBy(() -> requireDistrust(TlsTest::trustEverybody, alias))
                .isInstanceOf(AssertionError.class);
    }

    /** The red control: no certificate is looked at. */
    private static Socket trustEverybody(Socket plain, ServerAddress address) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Credulous()}, null);
            SSLSocket socket = (SSLSocket) context.getSocketFactory()
                    .createSocket(plain, address.url().host(), address.url().port(), true);
            socket.startHandshake();
            return socket;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    @Test
    void eachSideThatSpeaksTheOtherLanguageIsTold() throws IOException, GeneralSecurityException {
        try (TestingServer secure = certificates.server(TestingCertificates.GOOD);
                ServerSocket plain = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> complain(plain));
            String http = "http://127.0.0.1:" + secure.port();
            Ran toSecure = Ran.line(Map.of("BOXD_URL", http, "BOXD_TOKEN", "x"), "list");
            assertThat(toSecure.status()).isEqualTo(7);
            assertThat(toSecure.errors()).contains(http + " speaks HTTPS", "Say https://127.0.0.1:" + secure.port());
            String https = "https://127.0.0.1:" + plain.getLocalPort();
            Ran toPlain = Ran.line(Map.of("BOXD_URL", https, "BOXD_TOKEN", "x"), "list");
            assertThat(toPlain.status()).isEqualTo(7);
            assertThat(toPlain.errors()).contains("does not speak TLS", "http://127.0.0.1:" + plain.getLocalPort());
        }
    }

    /** As a web server does that is spoken to in TLS. */
    private static void complain(ServerSocket plain) {
        try (Socket socket = plain.accept()) {
            int first = socket.getInputStream().read();
            assert first == 0x16;
            socket.getOutputStream().write(HttpHead.bytes("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"));
            socket.shutdownOutput();
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            return; // the client has left
        }
    }

    @Test
    void aServerThatNeverGreetsIsLeftInTime() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            ServerAddress address = address(silent.getLocalPort());
            long start = System.nanoTime();
            assertThatThrownBy(() -> PatientSocket.connect(address, Duration.ofMillis(300)))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("did not answer within 300 ms");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        }
    }

    /** A sign now and then is no answer either. */
    @Test
    void aServerThatGreetsForeverIsLeftInTime() throws IOException {
        try (ServerSocket slow = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread dripping = Thread.ofVirtual().start(() -> drip(slow));
            ServerAddress address = address(slow.getLocalPort());
            assertThatThrownBy(() -> PatientSocket.connect(address, Duration.ofMillis(700)))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("did not answer within 700 ms");
            dripping.interrupt();
        }
    }

    /** The head of a long record, and then its bytes one by one, each soon enough. */
    private static void drip(ServerSocket slow) {
        try (Socket socket = slow.accept()) {
            OutputStream output = socket.getOutputStream();
            output.write(new byte[] {0x16, 3, 3, 0x3F, 0});
            CountDownLatch never = new CountDownLatch(1);
            while (!never.await(200, java.util.concurrent.TimeUnit.MILLISECONDS)) {
                output.write(1);
            }
        } catch (IOException | InterruptedException e) {
            return; // left in time
        }
    }

    private static ServerAddress address(int port) throws IOException {
        return new ServerAddress(
                new ServerUrl(true, "127.0.0.1", port),
                "x",
                Files.readString(certificates.authority()),
                ServerAddress.Reach.LOOPBACK,
                "test");
    }

    /** A quiet stream is asked for a sign of life after a read that timed out: nothing may be lost by that. */
    @Test
    void aPauseWithinARecordLosesNothing() throws IOException, GeneralSecurityException, InterruptedException {
        CountDownLatch paused = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        String words = "x".repeat(10_000) + "end";
        try (TestingServer server = certificates.server(TestingCertificates.GOOD);
                TestingRelay relay = new TestingRelay(server.port(), 8_000, paused, goOn)) {
            server.on("GET /v1/words", (heard, exchange) -> exchange.raw(words));
            try (PatientSocket socket = PatientSocket.connect(address(relay.port()), Duration.ofSeconds(20))) {
                socket.output()
                        .write(HttpHead.bytes(
                                "GET /v1/words HTTP/1.1\r\nAuthorization: Bearer " + TestingServer.TOKEN + "\r\n\r\n"));
                paused.await();
                socket.readTimeout(Duration.ofMillis(100));
                InputStream input = socket.input();
                StringBuilder got = new StringBuilder();
                int pauses = 0;
                while (!got.toString().endsWith("end")) {
                    try {
                        got.append(new String(input.readNBytes(1), StandardCharsets.US_ASCII));
                    } catch (SocketTimeoutException e) {
                        pauses++;
                        goOn.countDown();
                    }
                }
                assertThat(got.toString()).isEqualTo(words);
                assertThat(pauses).isPositive();
            }
        }
    }

    /** Trusts everybody. */
    private static final class Credulous extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
