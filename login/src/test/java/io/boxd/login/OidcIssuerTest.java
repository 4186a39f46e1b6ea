package io.boxd.login;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Logins at a real issuer, by somebody with a browser. */
@Tag("image")
final class OidcIssuerTest {
    @SuppressWarnings("NullAway.Init")
    private static TestingIssuer issuer;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        issuer = TestingIssuer.start();
    }

    @AfterAll
    static void end() {
        issuer.close();
    }

    private static Deadline soon() {
        return Deadline.inSeconds(30);
    }

    private static String logIn(DeviceCode code, String name) throws IOException, InterruptedException {
        try (TestingBrowser browser = new TestingBrowser()) {
            return browser.logIn(URI.create(code.completeAddress()), name);
        }
    }

    private static Person done(Progress progress) {
        assertThat(progress).isInstanceOf(Progress.Done.class);
        return ((Progress.Done) progress).person();
    }

    @Test
    void whoeverLogsInIsKnownByIssuerAndSubject() throws IOException, InterruptedException {
        try (OidcIssuer ours = new OidcIssuer(issuer.config())) {
            DeviceCode code = ours.begin(soon());
            assertThat(code.userCode()).isNotBlank();
            assertThat(code.toString()).doesNotContain(code.code());
            assertThat(ours.poll(code, soon())).isEqualTo(new Progress.Pending(false));
            logIn(code, "alice");
            Person alice = done(ours.poll(code, soon()));
            assertThat(alice.issuer()).isEqualTo(issuer.address().toString());
            assertThat(alice.subject()).isEqualTo("alice");
            assertThat(ours.poll(code, soon())).as("a code is good once").isInstanceOf(Progress.Failed.class);
        }
    }

    @Test
    void aTerminalThatWaitsIsToldWhoItWas() throws IOException, InterruptedException {
        try (OidcIssuer ours = new OidcIssuer(issuer.config())) {
            Logins logins = new Logins(ours, Clock.systemUTC());
            Logins.Begun begun = logins.begin(soon());
            try (TestingBrowser browser = new TestingBrowser()) {
                browser.logIn(URI.create(begun.completeAddress()), "bob");
            }
            assertThat(done(logins.ask(begun.handle(), soon())).subject()).isEqualTo("bob");
            assertThatThrownBy(() -> logins.ask(begun.handle(), soon()))
                    .isInstanceOfSatisfying(
                            BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
        }
    }

    /** A terminal has its handle and nothing of the issuer's, so it cannot say that another login is its own. */
    @Test
    void oneLoginIsNeverFinishedByAnother() throws IOException, InterruptedException {
        try (OidcIssuer ours = new OidcIssuer(issuer.config())) {
            Logins logins = new Logins(ours, Clock.systemUTC());
            Logins.Begun mine = logins.begin(soon());
            Logins.Begun theirs = logins.begin(soon());
            try (TestingBrowser browser = new TestingBrowser()) {
                browser.logIn(URI.create(theirs.completeAddress()), "alice");
            }
            assertThat(logins.ask(mine.handle(), soon())).isEqualTo(new Progress.Pending(false));
            for (String guess : List.of(theirs.userCode(), mine.handle() + theirs.handle(), "")) {
                assertThatThrownBy(() -> logins.ask(guess, soon())).isInstanceOf(BoxdException.class);
            }
            assertThat(done(logins.ask(theirs.handle(), soon())).subject()).isEqualTo("alice");
        }
    }

    @Test
    void aCodeOfAnotherClientIsRefusedByTheIssuer() throws IOException, InterruptedException {
        IssuerConfig other = new IssuerConfig(
                issuer.address(), TestingIssuer.CLIENT + "-other", TestingIssuer.SECRET, List.of("openid"));
        try (OidcIssuer theirs = new OidcIssuer(other);
                OidcIssuer ours = new OidcIssuer(issuer.config())) {
            DeviceCode code = theirs.begin(soon());
            logIn(code, "alice");
            assertThat(ours.poll(code, soon())).isInstanceOf(Progress.Failed.class);
        }
    }

    @Test
    void aWrongSecretAndAnIssuerThatIsNoneAreTold() {
        IssuerConfig wrong = new IssuerConfig(issuer.address(), TestingIssuer.CLIENT, "wrong", List.of("openid"));
        try (OidcIssuer ours = new OidcIssuer(wrong)) {
            assertThatThrownBy(() -> ours.begin(soon()))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("invalid_client");
        }
        IssuerConfig renamed = new IssuerConfig(
                URI.create(issuer.address().toString().replace("127.0.0.1", "localhost")),
                TestingIssuer.CLIENT,
                TestingIssuer.SECRET,
                List.of("openid"));
        try (OidcIssuer ours = new OidcIssuer(renamed)) {
            assertThatThrownBy(() -> ours.begin(soon()))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("no issuer");
        }
        for (String unsafe : List.of("http://id.example", "http:id", "file:///etc/passwd", "https://me@id.example")) {
            assertThatThrownBy(() -> new OidcIssuer(new IssuerConfig(URI.create(unsafe), "x", "", List.of())))
                    .isInstanceOf(BoxdException.class)
                    .hasMessageContaining("https");
        }
    }

    @Test
    void onlyWhomTheSettingsNameIsAdmitted() {
        Person bob = new Person("i", "s", Optional.empty(), Optional.of("bob@Example.org"), List.of("red"));
        assertThat(Admission.nobody().admits(bob)).isFalse();
        assertThat(new Admission(Set.of("example.org"), Set.of(), Set.of()).admits(bob))
                .isTrue();
        assertThat(new Admission(Set.of("le.org", "evil-example.org"), Set.of(), Set.of()).admits(bob))
                .isFalse();
        assertThat(new Admission(Set.of(), Set.of("red"), Set.of()).admits(bob)).isTrue();
        assertThat(new Admission(Set.of(), Set.of(), Set.of("s")).admits(bob)).isTrue();
        assertThat(new Admission(Set.of(), Set.of("blue"), Set.of("t")).admits(bob))
                .isFalse();
    }
}
