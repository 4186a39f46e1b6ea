package io.boxd.inside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.TestingControl;
import io.boxd.trust.Authority;
import io.boxd.trust.Credentials;
import io.boxd.trust.Subject;
import io.boxd.trust.Trust;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Only who has a pass gets to control. The red control is a way in that asks for none, by which all of them get in. */
@Tag("unit")
final class PassTest {
    private static final Duration A_DAY = Duration.ofDays(1);

    @TempDir
    private Path folder;

    private final TestingControl house = new TestingControl();
    private TestingInside inside;

    @BeforeEach
    void open() {
        inside = new TestingInside(folder, house.control());
    }

    @AfterEach
    void close() {
        inside.close();
        house.close();
    }

    /** Somebody who would like to get in. */
    private record Intruder(String name, SSLContext context) {}

    private List<Intruder> intruders() throws GeneralSecurityException {
        Authority foreign = Authority.open(folder.resolve("foreign"), "somebody else", List.of());
        Authority ledger = Authority.open(folder.resolve("ledger"), "members of the ledger", List.of());
        X509Certificate trusted = inside.authority().certificate();
        return List.of(
                new Intruder("without a certificate", context(null, trusted)),
                new Intruder(
                        "with a pass of another instance",
                        context(foreign.issue(Subject.named(InsideServer.nameOf(Set.of("api")), A_DAY)), trusted)),
                new Intruder("as a member of the ledger", context(ledger.issue(Subject.named("n1", A_DAY)), trusted)),
                new Intruder(
                        "with a certificate of the right authority that is no pass",
                        context(inside.authority().issue(Subject.named("control", A_DAY)), trusted)),
                new Intruder(
                        "with a pass that has expired",
                        context(
                                inside.authority()
                                        .issue(Subject.named(
                                                InsideServer.nameOf(Set.of("api")), Duration.ofMinutes(-1))),
                                trusted)));
    }

    private static SSLContext context(@org.jspecify.annotations.Nullable Credentials own, X509Certificate authority)
            throws GeneralSecurityException {
        if (own != null) {
            return Trust.mutual(own, authority);
        }
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(new KeyManager[0], new TrustManager[] {Trust.in(List.of(authority))}, new SecureRandom());
        return context;
    }

    @Test
    void whoHasNoPassIsRefused() throws GeneralSecurityException {
        for (Intruder intruder : intruders()) {
            try (RemoteControl door = inside.door(intruder.context())) {
                assertThatThrownBy(door::ways)
                        .as(intruder.name())
                        .isInstanceOfSatisfying(
                                BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
            }
        }
        try (RemoteControl door = inside.door(Set.of("api"))) {
            assertThat(door.ways().path("invitation").asBoolean()).isTrue();
        }
    }

    @Test
    void withoutTheDemandAllOfThemGetIn() throws GeneralSecurityException {
        InetAddress here = InetAddress.getLoopbackAddress();
        SSLContext believing = SSLContext.getInstance("TLSv1.3");
        Credentials own = inside.authority().issue(new Subject("control", List.of(), List.of(here), A_DAY));
        believing.init(new KeyManager[] {own.keyManager()}, new TrustManager[] {new Believing()}, new SecureRandom());
        SslContextFactory.Server tls = InsideServer.tls(believing);
        try (InsideServer open = InsideServer.open(
                new InetSocketAddress(here, 0),
                tls,
                house.control(),
                Optional::empty,
                _ -> new DoorRights(Set.of("api")))) {
            for (Intruder intruder : intruders()) {
                try (RemoteControl door = new RemoteControl(here.getHostAddress(), open.port(), intruder.context())) {
                    assertThat(door.ways().path("invitation").asBoolean())
                            .as(intruder.name())
                            .isTrue();
                }
            }
        }
    }

    /** Doors look, too: what listens at the address of control must be it. */
    @Test
    void aDoorTellsNothingToWhoIsNotControl() throws GeneralSecurityException {
        InetAddress here = InetAddress.getLoopbackAddress();
        Authority foreign = Authority.open(folder.resolve("foreign"), "somebody else", List.of());
        Stream<Credentials> pretenders = Stream.of(
                foreign.issue(new Subject("control", List.of(), List.of(here), A_DAY)),
                inside.pass(Set.of("api"))); // another door
        pretenders.forEach(pretender -> {
            SSLContext context = Trust.mutual(pretender, inside.authority().certificate());
            try (InsideServer other = InsideServer.open(
                            new InetSocketAddress(here, 0), context, house.control(), Optional::empty);
                    RemoteControl door = new RemoteControl(
                            here.getHostAddress(),
                            other.port(),
                            Trust.mutual(
                                    inside.pass(Set.of("api")),
                                    inside.authority().certificate()))) {
                assertThatThrownBy(door::ways).hasMessageContaining("does not reach control");
            }
        });
    }

    /** Believes everybody. */
    private static final class Believing implements X509TrustManager {
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
