package io.boxd.certificates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.boxd.common.BoxdException;
import io.boxd.dns.Challenges;
import io.boxd.dns.DnsConfig;
import io.boxd.dns.DnsServer;
import io.boxd.dns.ZoneConfig;
import io.boxd.trust.Authority;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a real ACME server, which asks our own DNS server: issued, renewed, revoked, refused and mended. */
@Tag("unit")
final class AcmeTest {
    private static final String DOMAIN = "boxes.example";
    private static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");

    @TempDir
    private Path folder;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final Challenges challenges = new Challenges();
    private final HttpProofs http = new HttpProofs();
    private final TestingClock clock = new TestingClock();
    private final Heard heard = new Heard();
    private boolean proofsAreSeen = true;

    /** Unless somebody has broken the way between. */
    private final DnsProofs dns = new DnsProofs() {
        @Override
        public void show(String host, String text) {
            if (proofsAreSeen) {
                challenges.show(host, text);
            }
        }

        @Override
        public void remove(String host, String text) {
            challenges.remove(host, text);
        }
    };

    private Pebble pebble;
    private Authority own;

    @BeforeEach
    void begin() throws IOException {
        own = Authority.open(folder.resolve("own"), "own", List.of(DOMAIN, "localhost"));
        DnsServer server = opened(DnsServer.open(
                new DnsConfig(HERE, 0, new ZoneConfig("example", List.of(HERE), List.of("ns.example"), List.of())),
                challenges));
        HttpServer page = HttpServer.create(new InetSocketAddress(HERE, 0), 0);
        page.createContext("/", exchange -> {
            byte[] body =
                    http.answer(exchange.getRequestURI().getPath()).orElse("").getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(body.length == 0 ? 404 : 200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        page.start();
        opened.add(() -> page.stop(0));
        pebble = opened(
                Pebble.start("pebble", folder, server.port(), page.getAddress().getPort()));
    }

    private <T extends AutoCloseable> T opened(T resource) {
        opened.add(resource);
        return resource;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable resource : opened.reversed()) {
            resource.close();
        }
    }

    private Certificates open(AcmeConfig acme) {
        Certificates certificates = opened(Certificates.open(
                new CertificatesConfig(folder.resolve("certificates"), DOMAIN, List.of(HERE), Optional.of(acme)),
                own,
                dns,
                http,
                heard,
                clock));
        certificates.begin();
        return certificates;
    }

    private static X509Certificate shown(Certificates certificates, String host, X509Certificate authority)
            throws Exception {
        return new Visitor(certificates.context()).believe(host, authority);
    }

    private static Duration life(X509Certificate certificate) {
        return Duration.between(
                certificate.getNotBefore().toInstant(),
                certificate.getNotAfter().toInstant());
    }

    @Test
    void aWildcardIsIssuedAndKeptAndRenewedAndRevoked() throws Exception {
        Certificates certificates = open(pebble.config(Proof.DNS));
        shown(certificates, DOMAIN, own.certificate());
        assertThat(heard.next()).isEqualTo("issued boxes.example *.boxes.example");
        X509Certificate first = shown(certificates, DOMAIN, pebble.root());
        assertThat(shown(certificates, "3000-task.boxes.example", pebble.root()))
                .isEqualTo(first);
        certificates.close();

        Certificates again = open(pebble.config(Proof.DNS));
        assertThat(shown(again, "task.boxes.example", pebble.root()))
                .as("kept over a restart")
                .isEqualTo(first);
        assertThat(again.facts()).singleElement().satisfies(facts -> {
            assertThat(facts.failure()).isEmpty();
            assertThat(facts.renewAt())
                    .isBetween(clock.instant().plus(life(first).dividedBy(2)), facts.until());
        });
        clock.move(life(first).multipliedBy(3).dividedBy(4));
        again.wake();
        assertThat(heard.next()).isEqualTo("issued boxes.example *.boxes.example");
        assertThat(again.facts())
                .singleElement()
                .satisfies(facts -> assertThat(facts.renewAt())
                        .as("not again at once, though by this clock it is due")
                        .isAfterOrEqualTo(clock.instant().plus(Renewal.ASK_AGAIN)));
        clock.move(life(first).multipliedBy(-3).dividedBy(4)); // the visitor's clock is the real one
        again.wake();
        X509Certificate second = shown(again, DOMAIN, pebble.root());
        assertThat(second).isNotEqualTo(first);
        assertThat(pebble.hasRevoked(second)).isFalse();

        again.revoke("*.boxes.example");
        assertThat(heard.next()).isEqualTo("revoked boxes.example *.boxes.example");
        assertThat(pebble.hasRevoked(second)).isTrue();
        assertThat(heard.next()).startsWith("issued");
        assertThat(shown(again, DOMAIN, pebble.root())).isNotEqualTo(second);
        assertThat(folder.resolve("certificates").toFile().list())
                .containsExactlyInAnyOrder("account.key", "boxes.example.json", "boxes.example.pem");
        for (Path file : List.of(Path.of("account.key"), Path.of("boxes.example.pem"))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(
                            folder.resolve("certificates").resolve(file))))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void namesBelowABoxAndOfOthersAreIssuedAsTheyAreNeeded() throws Exception {
        Certificates certificates = open(pebble.config(Proof.DNS));
        assertThat(heard.next()).startsWith("issued boxes.example");
        certificates.need("task.boxes.example");
        certificates.need("API.task.boxes.example");
        assertThat(heard.next()).isEqualTo("issued *.task.boxes.example");
        shown(certificates, "other.task.boxes.example", pebble.root());
        certificates.need("app.customer.example");
        assertThat(heard.next()).isEqualTo("issued app.customer.example");
        shown(certificates, "app.customer.example", pebble.root());
        certificates.forget("app.customer.example");
        assertThatThrownBy(() -> shown(certificates, "app.customer.example", pebble.root()))
                .as("no longer shown")
                .isInstanceOf(SSLException.class);
        assertThat(heard.isQuiet()).isTrue();
    }

    @Test
    void withoutDnsEachNameHasItsOwn() throws Exception {
        Certificates certificates = open(pebble.config(Proof.HTTP));
        assertThat(heard.next()).isEqualTo("issued boxes.example");
        certificates.need("task.boxes.example");
        shown(certificates, "task.boxes.example", own.certificate());
        assertThat(heard.next()).isEqualTo("issued task.boxes.example");
        shown(certificates, "task.boxes.example", pebble.root());
        assertThat(http.answer(HttpProofs.PATH)).isEmpty();
    }

    @Test
    void aProofThatIsNotSeenIsToldAndTriedAgainLater() throws Exception {
        proofsAreSeen = false;
        Certificates certificates = open(pebble.config(Proof.DNS));
        assertThat(heard.next())
                .startsWith("failed boxes.example *.boxes.example: ")
                .contains("could not see the proof", "boxd doctor");
        shown(certificates, DOMAIN, own.certificate());
        certificates.close();

        proofsAreSeen = true;
        Certificates again = open(pebble.config(Proof.DNS));
        assertThat(again.facts()).singleElement().satisfies(facts -> {
            assertThat(facts.failure())
                    .hasValueSatisfying(reason -> assertThat(reason).contains("proof"));
            assertThat(facts.failures()).isOne();
            assertThat(facts.renewAt())
                    .as("not at once")
                    .isAfter(clock.instant().plusSeconds(60));
        });
        assertThat(heard.isQuiet()).isTrue();
        clock.move(Duration.ofMinutes(3));
        again.wake();
        assertThat(heard.next()).startsWith("issued");
        shown(again, DOMAIN, pebble.root());
    }

    @Test
    void anAuthorityThatIsAwayKeepsNobodyWaiting() throws Exception {
        AcmeConfig config = pebble.config(Proof.DNS);
        pebble.close();
        Certificates certificates = open(config);
        shown(certificates, DOMAIN, own.certificate());
        assertThat(heard.next()).startsWith("failed").contains("127.0.0.1 cannot be reached");
        assertThatThrownBy(() -> certificates.revoke(DOMAIN))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("no certificate");
    }

    /** The red control of the authority's own certificate: without the file that names it, nothing is believed. */
    @Test
    void anAuthorityThatNobodyBelievesIsNotAsked() throws Exception {
        AcmeConfig config = pebble.config(Proof.DNS);
        open(new AcmeConfig(config.directory(), List.of(), Proof.DNS, Optional.empty(), Optional.empty()));
        assertThat(heard.next()).startsWith("failed").contains("cannot be reached");
    }
}
