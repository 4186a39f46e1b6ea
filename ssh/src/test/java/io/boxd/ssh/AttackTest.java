package io.boxd.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What people without a key, or with weak tools, can do to the doors: nothing that others notice. */
@Tag("host")
final class AttackTest {
    private static final boolean LONG = Boolean.getBoolean("boxd.test.long");
    private static final int HALF_OPEN = LONG ? 5_000 : 300;
    private static final int MALFORMED = LONG ? 100_000 : 300;
    private static final Duration LOGIN = Duration.ofSeconds(LONG ? 1 : 5);

    private final TestingDoors doors = new TestingDoors();
    private final Path key = doors.keyOf("ada");

    @AfterEach
    void close() {
        doors.close();
    }

    /** From an address of its own, since sources are judged one by one. */
    private Socket connect(int source) throws IOException {
        return connect(source, doors.doors().port());
    }

    private static Socket connect(int source, int port) throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(
                InetAddress.ofLiteral("127.1." + source / 200 % 200 + "." + (1 + source % 200)), 0));
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5_000);
        return socket;
    }

    private void assertThatOthersGetIn() {
        long start = System.nanoTime();
        assertThat(doors.run(key, "boxd", "whoami").output()).contains("ada");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LOGIN);
    }

    @Test
    void halfOpenConnectionsOfOneSourceKeepNobodyOut() throws IOException {
        List<Socket> open = new ArrayList<>();
        try {
            for (int i = 0; i < HALF_OPEN; i++) {
                open.add(connect(0));
            }
            assertThat(doors.doors().connections()).isLessThanOrEqualTo(SshLimits.STRANGERS_OF_A_SOURCE);
            assertThatOthersGetIn();
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    @Test
    void malformedPacketsEndTheirConnectionOnly() throws IOException {
        Random random = new Random(11);
        assertThatOthersGetIn();
        for (int i = 0; i < MALFORMED; i++) {
            try (Socket socket = connect(i)) {
                socket.getOutputStream().write("SSH-2.0-OpenSSH_9.2\r\n".getBytes(StandardCharsets.US_ASCII));
                byte[] packet = new byte[64 + random.nextInt(200)];
                random.nextBytes(packet);
                socket.getOutputStream().write(packet);
                socket.shutdownOutput();
                socket.setSoTimeout(30_000);
                readToTheEnd(socket);
            } catch (SocketTimeoutException e) {
                throw new AssertionError("packet " + i + " did not end its connection", e);
            } catch (IOException e) {
                // The door has cut it, which is as good an end.
            }
        }
        assertThatOthersGetIn();
    }

    private static void readToTheEnd(Socket socket) throws IOException {
        byte[] chunk = new byte[4096];
        while (socket.getInputStream().read(chunk) >= 0) {
            // What the door says before it has understood does not matter.
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "KexAlgorithms=diffie-hellman-group14-sha1",
                "KexAlgorithms=diffie-hellman-group14-sha256",
                "KexAlgorithms=diffie-hellman-group-exchange-sha256",
                "KexAlgorithms=ecdh-sha2-nistp256",
                "Ciphers=aes128-cbc",
                "Ciphers=3des-cbc",
                "MACs=hmac-sha1 Ciphers=aes128-ctr",
                "MACs=hmac-md5 Ciphers=aes128-ctr",
                "MACs=hmac-sha2-256 Ciphers=aes128-ctr",
                "HostKeyAlgorithms=ssh-rsa",
                "HostKeyAlgorithms=ecdsa-sha2-nistp256"
            })
    void weakAlgorithmsAreRefused(String weak) {
        List<String> options = new ArrayList<>();
        for (String option : weak.split(" ", -1)) {
            options.addAll(List.of("-o", option));
        }
        List<String> words = doors.client(key, "boxd", options.toArray(String[]::new));
        words.add("whoami");
        Command.Result refused = Command.of(words).run(Deadline.inSeconds(30));
        assertThat(refused.status()).isEqualTo(255);
        assertThat(refused.errors()).contains("Unable to negotiate").contains("no matching");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "KexAlgorithms=curve25519-sha256",
                "Ciphers=aes256-gcm@openssh.com",
                "Ciphers=chacha20-poly1305@openssh.com",
                "Ciphers=aes256-ctr"
            })
    void strongOnesAreNot(String strong) {
        List<String> words = doors.client(key, "boxd", "-o", strong);
        words.add("whoami");
        assertThat(Command.of(words).run(Deadline.inSeconds(30)).output()).contains("ada");
    }

    @Test
    void theExchangeOfKeysIsStrict() {
        List<String> words = doors.client(key, "boxd", "-vvv");
        words.add("whoami");
        assertThat(Command.of(words).run(Deadline.inSeconds(30)).errors()).contains("kex-strict-s-v00@openssh.com");
    }

    @Test
    void passwordsAreNotAskedFor() {
        List<String> words = doors.client(
                doors.folder().resolve("nothing"),
                "boxd",
                "-o",
                "PreferredAuthentications=password,keyboard-interactive");
        words.add("whoami");
        Command.Result refused = Command.of(words).run(Deadline.inSeconds(30));
        assertThat(refused.status()).isEqualTo(255);
        assertThat(refused.errors()).contains("Permission denied (publickey)");
    }

    /** Without the gate the first test would fail. */
    @Test
    void redControlAPlainServerKeepsThemAll() throws IOException {
        List<Socket> open = new ArrayList<>();
        try (TestingPlainServer plain = new TestingPlainServer()) {
            for (int i = 0; i < 2 * SshLimits.STRANGERS_OF_A_SOURCE; i++) {
                Socket socket = connect(0, plain.port());
                open.add(socket);
                assertThat(socket.getInputStream().read()).isEqualTo('S');
            }
            assertThat(plain.connections()).isGreaterThan(SshLimits.STRANGERS_OF_A_SOURCE);
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    /** Without our own choice of algorithms those tests would fail. */
    @Test
    void redControlAPlainServerSpeaksWhatIsRefusedHere() {
        try (TestingPlainServer plain = new TestingPlainServer()) {
            for (String weak : List.of("KexAlgorithms=diffie-hellman-group14-sha256", "MACs=hmac-sha2-256")) {
                List<String> words = plain.client(key, "-v", "-o", weak, "-o", "Ciphers=aes128-ctr");
                assertThat(Command.of(words).run(Deadline.inSeconds(30)).errors())
                        .contains("Authenticated to")
                        .doesNotContain("Unable to negotiate");
            }
        }
    }
}
