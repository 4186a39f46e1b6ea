package io.boxd.certificates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.trust.Authority;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Without anybody else: what the instance's own authority certifies, for which names, and for how long. */
@Tag("unit")
final class OwnAuthorityTest {
    private static final String DOMAIN = "boxd.localhost";

    @TempDir
    private Path folder;

    private final TestingClock clock = new TestingClock();
    private final Heard heard = new Heard();
    private Authority authority;
    private Certificates certificates;

    @BeforeEach
    void open() {
        authority = Authority.open(folder.resolve("authority"), "own", List.of(DOMAIN, "localhost"));
        certificates = Certificates.open(
                new CertificatesConfig(
                        folder.resolve("certificates"),
                        DOMAIN,
                        List.of(InetAddress.ofLiteral("127.0.0.1")),
                        Optional.empty()),
                authority,
                DnsProofs.none(),
                new HttpProofs(),
                heard,
                clock);
        certificates.begin();
    }

    @AfterEach
    void close() {
        certificates.close();
    }

    private X509Certificate shown(String host) throws Exception {
        return new Visitor(certificates.context()).believe(host, authority.certificate());
    }

    @Test
    void theDomainAndAllBoxesShareOne() throws Exception {
        X509Certificate usual = shown(DOMAIN);
        for (String host : List.of("task.boxd.localhost", "3000-TASK.boxd.localhost", "localhost", "127.0.0.1")) {
            assertThat(shown(host)).as(host).isEqualTo(usual);
        }
        certificates.need("another.boxd.localhost");
        assertThat(shown("another.boxd.localhost")).isEqualTo(usual);
        assertThat(heard.isQuiet()).isTrue();
    }

    @Test
    void whatIsBelowABoxHasItsOwnOnceItIsNeeded() throws Exception {
        assertThatThrownBy(() -> shown("api.task.boxd.localhost")).isInstanceOf(SSLException.class);
        certificates.need("api.task.boxd.localhost");
        assertThat(shown("api.task.boxd.localhost")).isEqualTo(shown("other.task.boxd.localhost"));
        certificates.forget("task.boxd.localhost");
        assertThatThrownBy(() -> shown("api.task.boxd.localhost")).isInstanceOf(SSLException.class);
    }

    @Test
    void aNameOfSomebodyElseIsNotCertified() {
        certificates.need("bank.example");
        assertThatThrownBy(() -> shown("bank.example")).isInstanceOf(SSLException.class);
    }

    @Test
    void itIsRenewedBeforeItEnds() throws Exception {
        certificates.need("api.task.boxd.localhost");
        X509Certificate before = shown(DOMAIN);
        clock.move(Duration.ofDays(40));
        certificates.wake();
        assertThat(shown(DOMAIN)).as("not long before").isEqualTo(before);
        clock.move(Duration.ofDays(25));
        awaitRenewal(before);
        assertThat(certificates.facts())
                .hasSize(2)
                .allSatisfy(facts ->
                        assertThat(facts.until()).isAfter(clock.instant().plus(Duration.ofDays(80))));
    }

    /** Facts are read from what is there, so this ends when the caretaker has done its work. */
    private void awaitRenewal(X509Certificate before) {
        certificates.wake();
        Deadline deadline = Deadline.inSeconds(20);
        while (certificates.facts().stream()
                .anyMatch(facts -> facts.until().equals(before.getNotAfter().toInstant()))) {
            assertThat(deadline.passed()).as("renewed").isFalse();
            Thread.onSpinWait();
        }
    }

    @Test
    void thereIsNothingToRevoke() {
        assertThatThrownBy(() -> certificates.revoke(DOMAIN))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.hint()).contains("anew at each start"));
    }
}
