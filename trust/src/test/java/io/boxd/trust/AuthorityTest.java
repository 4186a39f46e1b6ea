package io.boxd.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
final class AuthorityTest {
    private static final Duration DAY = Duration.ofDays(1);

    @TempDir
    private Path folder;

    @Test
    void itIsMadeOnceAndStaysWhatItIs() throws IOException {
        Authority first = Authority.open(folder.resolve("ca"), "test", List.of());
        Authority again = Authority.open(folder.resolve("ca"), "another", List.of());
        assertThat(again.certificate()).isEqualTo(first.certificate());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("ca"))))
                .isEqualTo("rwx------");
    }

    @Test
    void twoOfOneAuthorityTalk() throws IOException {
        Authority authority = Authority.open(folder.resolve("ca"), "test", List.of());
        assertThat(talk(context(authority, "server"), context(authority, "client")))
                .isEqualTo("CN=client");
    }

    @Test
    void oneOfAnotherAuthorityIsRefused() throws IOException {
        Authority authority = Authority.open(folder.resolve("ca"), "test", List.of());
        Authority other = Authority.open(folder.resolve("other"), "test", List.of());
        SSLContext stranger = Trust.mutual(other.issue(Subject.named("client", DAY)), authority.certificate());
        assertThat(talk(context(authority, "server"), stranger)).startsWith("nobody");
    }

    /** Asked of OpenSSL: Java believes an authority that it trusts whatever it says of names. */
    @Test
    void namesOutsideItsOwnAreNotBelieved() throws IOException {
        Authority bound = Authority.open(folder.resolve("ca"), "test", List.of("boxd.localhost"));
        assertThat(isBelieved(bound, "*.boxd.localhost")).isTrue();
        assertThat(isBelieved(bound, "bank.example")).isFalse();
        assertThat(isBelieved(Authority.open(folder.resolve("any"), "test", List.of()), "bank.example"))
                .isTrue();
    }

    private boolean isBelieved(Authority authority, String name) throws IOException {
        Credentials issued = authority.issue(new Subject("a", List.of(name), List.of(), DAY));
        Path file = Files.writeString(folder.resolve("issued.pem"), Pem.of(List.of(issued.certificate())));
        return Command.of(
                        "openssl",
                        "verify",
                        "-CAfile",
                        authority.certificateFile().toString(),
                        file.toString())
                .run(Deadline.inSeconds(30))
                .succeeded();
    }

    @Test
    void aDamagedOneIsNotReplaced() throws IOException {
        Authority.open(folder.resolve("ca"), "test", List.of());
        Files.writeString(folder.resolve("ca/key.pem"), "nothing");
        assertThatThrownBy(() -> Authority.open(folder.resolve("ca"), "test", List.of()))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("key.pem");
    }

    private static SSLContext context(Authority authority, String name) {
        return Trust.mutual(authority.issue(Subject.named(name, DAY)), authority.certificate());
    }

    /** The client's name as the server sees it, if it does. */
    private static String talk(SSLContext server, SSLContext client) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (SSLServerSocket listening =
                (SSLServerSocket) server.getServerSocketFactory().createServerSocket(0, 1, loopback)) {
            listening.setNeedClientAuth(true);
            CompletableFuture<String> seen = CompletableFuture.supplyAsync(() -> {
                try (SSLSocket socket = (SSLSocket) listening.accept()) {
                    String name = socket.getSession().getPeerPrincipal().getName();
                    socket.getOutputStream().write(1);
                    return name;
                } catch (IOException e) {
                    return "nobody: " + e.getMessage();
                }
            });
            try (SSLSocket socket =
                    (SSLSocket) client.getSocketFactory().createSocket(loopback, listening.getLocalPort())) {
                socket.startHandshake();
                socket.getInputStream().read();
            } catch (IOException e) {
                // What counts is whom the server has seen.
                return seen.join();
            }
            return seen.join();
        }
    }
}
