package io.boxd.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.trust.Authority;
import io.boxd.trust.Credentials;
import io.boxd.trust.Subject;
import io.boxd.trust.Trust;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whom the log's listener speaks to: nobody whom the instance's own authority has not certified. */
@Tag("unit")
final class ListenerTest {
    private static final byte[] HTTP2 =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.US_ASCII);
    private static final int PATIENCE_MILLIS = 20_000;

    @TempDir
    private Path home;

    @Test
    void onlyThoseOfTheInstancesAuthorityAreAnswered() throws Exception {
        LedgerConfig config = TestingLedger.config(home);
        Authority stranger = Authority.open(home.resolve("stranger"), "stranger", List.of());
        try (Ledger ledger = TestingLedger.open(config, new CountingBook())) {
            int port = ledger.address().getPort();
            assertThat(isAnswered(port, mutual(config.authority(), config.authority())))
                    .isTrue();
            assertThat(isAnswered(port, mutual(stranger, config.authority()))).isFalse();
            assertThat(isAnswered(port, anonymous(config.authority()))).isFalse();
            assertThat(isAnsweredInPlain(port)).isFalse();
        }
    }

    private static SSLContext mutual(Authority of, Authority believed) {
        Credentials own = of.issue(Subject.named("client", Duration.ofDays(1)));
        return Trust.mutual(own, believed.certificate());
    }

    private static SSLContext anonymous(Authority believed) throws Exception {
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(null, new TrustManager[] {Trust.in(List.of(believed.certificate()))}, new SecureRandom());
        return context;
    }

    /** Whether it answers the beginning of a conversation in HTTP/2, which is what gRPC speaks. */
    private static boolean isAnswered(int port, SSLContext context) {
        try (SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            socket.setSSLParameters(parameters);
            return isAnswered(socket);
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isAnsweredInPlain(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            return isAnswered(socket);
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isAnswered(Socket socket) throws IOException {
        socket.getOutputStream().write(HTTP2);
        // The first frame of a server is always that of its settings.
        byte[] frame = socket.getInputStream().readNBytes(9);
        return frame.length == 9 && frame[3] == 4;
    }
}
