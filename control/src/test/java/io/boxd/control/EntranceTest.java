package io.boxd.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.accounts.Principal;
import io.boxd.accounts.TestingAccounts;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.login.Admission;
import io.boxd.login.Logins;
import io.boxd.login.Person;
import io.boxd.login.Progress;
import java.time.Clock;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

@Tag("unit")
final class EntranceTest {
    private static final Person ALICE =
            new Person("https://id", "77", Optional.of("Alice B."), Optional.of("alice@example.org"), List.of());

    private final TestingControl house = new TestingControl();
    private final TestingAccounts accounts = house.accounts();
    private final TestingIssuer issuer = new TestingIssuer();

    @BeforeEach
    void done() {
        issuer.answer(new Progress.Done(ALICE));
    }

    @AfterEach
    void end() {
        house.close();
    }

    private Entrance entrance(Admission admission) {
        return new Entrance(
                accounts,
                house.boxes(),
                Optional.of(new Logins(issuer, Clock.systemUTC())),
                admission,
                InstantSource.system());
    }

    private static Admission ofExample() {
        return new Admission(Set.of("example.org"), Set.of(), Set.of());
    }

    private static String handle(JsonNode begun) {
        return begun.path("handle").asString();
    }

    private static JsonNode logIn(Entrance entrance, Optional<Principal> known) {
        return entrance.ask(handle(entrance.begin(known)));
    }

    private Principal bearer(JsonNode done) {
        return house.bearer(done.path("token").asString()).who().orElseThrow();
    }

    private static void assertRefused(ThrowingCallable call, ErrorCode code, String words) {
        assertThatThrownBy(call).isInstanceOfSatisfying(BoxdException.class, e -> {
            assertThat(e.code()).isEqualTo(code);
            assertThat(e.getMessage() + e.hint()).contains(words);
        });
    }

    @Test
    void whoIsAdmittedBecomesAUserAndIsTheSameOneTheNextTime() {
        house.boxes().add("alice-b");
        Entrance entrance = entrance(ofExample());
        Principal alice = bearer(logIn(entrance, Optional.empty()));
        assertThat(alice.name()).as("a box has the name").isEqualTo("alice-b-2");
        assertThat(alice.administrator()).isFalse();
        assertThat(bearer(logIn(entrance, Optional.empty())).user()).isEqualTo(alice.user());
    }

    @Test
    void whoIsNobodyHereIsToldWhatToDo() {
        Entrance entrance = entrance(Admission.nobody());
        assertRefused(() -> logIn(entrance, Optional.empty()), ErrorCode.PERMISSION_DENIED, "invitation");
        assertThat(accounts.rows().users()).hasSize(3);
    }

    @Test
    void whoIsKnownIsKnownByTheirLoginFromThenOn() {
        Entrance entrance = entrance(Admission.nobody());
        Principal bob = house.who("bob");
        assertThat(bearer(logIn(entrance, Optional.of(bob))).user()).isEqualTo(bob.user());
        assertThat(bearer(logIn(entrance, Optional.empty())).user()).isEqualTo(bob.user());
    }

    @Test
    void aLoginThatIsNotDoneGivesNothing() {
        Entrance entrance = entrance(ofExample());
        issuer.answer(new Progress.Pending(false));
        assertThat(logIn(entrance, Optional.empty()).path("done").asBoolean()).isFalse();
        issuer.answer(new Progress.Failed("declined"));
        assertRefused(() -> logIn(entrance, Optional.empty()), ErrorCode.PERMISSION_DENIED, "declined");
        assertRefused(() -> entrance.ask("0".repeat(64)), ErrorCode.NOT_FOUND, "Log in again");
        assertThat(accounts.rows().users()).hasSize(3);
    }

    @Test
    void anInvitationLetsOnePersonInOnce() {
        Entrance entrance = entrance(Admission.nobody());
        String invitation = house.say("invite", "{}").path("invitation").asString();
        Principal dan = bearer(entrance.enter(invitation, "dan", Optional.empty()));
        assertThat(dan.name()).isEqualTo("dan");
        assertRefused(
                () -> entrance.enter(invitation, "eve", Optional.empty()),
                ErrorCode.PERMISSION_DENIED,
                "does not hold");
        assertRefused(
                () -> entrance.enter(invitation.substring(0, 20), "eve", Optional.empty()),
                ErrorCode.INVALID_ARGUMENT,
                "mistyped");
        String another = house.say("invite", "{}").path("invitation").asString();
        assertRefused(
                () -> entrance.enter(another, "ada", Optional.empty()),
                ErrorCode.ALREADY_EXISTS,
                "the name ada is taken");
    }
}
