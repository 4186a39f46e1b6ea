package io.boxd.accounts;

import static io.boxd.accounts.TestingAccounts.NOW;
import static io.boxd.accounts.TestingAccounts.invitation;
import static io.boxd.accounts.TestingAccounts.key;
import static io.boxd.accounts.TestingAccounts.organisation;
import static io.boxd.accounts.TestingAccounts.token;
import static io.boxd.accounts.TestingAccounts.user;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
final class AccountDecisionsTest {
    private final TestingAccounts accounts = TestingAccounts.begun();

    private void assertRefused(ErrorCode code, AccountCommand command) {
        AccountRows before = accounts.rows();
        assertThatThrownBy(() -> accounts.apply(command))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(code));
        assertThat(accounts.rows()).isSameAs(before);
    }

    private static Newcomer newcomer(String name) {
        return new Newcomer(user(name), List.of(), Optional.empty(), Optional.empty());
    }

    @Test
    void aServerBeginsOnceAndItsFirstUserAdministersIt() {
        assertThat(accounts.rows().userNamed("ada").orElseThrow().administrator())
                .isTrue();
        assertThat(accounts.rows().userNamed("bob").orElseThrow().administrator())
                .isFalse();
        assertRefused(
                ErrorCode.ALREADY_EXISTS,
                new AccountCommand.Begin(user("eve"), List.of(), token("t", "eve", Scopes.all(), null)));
        assertRefused(ErrorCode.PERMISSION_DENIED, new AccountCommand.AddUser("usr_bob", user("eve"), List.of()));
        UserRow boastful = user("eve").administrating(true);
        accounts.apply(new AccountCommand.AddUser("usr_ada", boastful, List.of()));
        assertThat(accounts.rows().userNamed("eve").orElseThrow().administrator())
                .isFalse();
    }

    @Test
    void usersOrganisationsAndBoxesHaveTheirNamesFromOneStock() {
        accounts.apply(new AccountCommand.AddOrganisation(organisation("red", "bob")));
        accounts.boxesHave(Set.of("a-box"));
        for (String taken : List.of("ada", "red", "a-box")) {
            assertRefused(
                    ErrorCode.ALREADY_EXISTS,
                    new AccountCommand.AddUser("usr_ada", renamed("usr_x", taken), List.of()));
            assertRefused(
                    ErrorCode.ALREADY_EXISTS,
                    new AccountCommand.AddOrganisation(
                            new OrganisationRow("org_x", taken, Map.of("usr_bob", Role.OWNER), Optional.empty(), NOW)));
        }
        for (String wrong : List.of("", "Ada", "a.b", "-a", "3000-app", "a".repeat(41))) {
            assertRefused(
                    ErrorCode.INVALID_ARGUMENT,
                    new AccountCommand.AddUser("usr_ada", renamed("usr_x", wrong), List.of()));
        }
    }

    private static UserRow renamed(String id, String name) {
        return new UserRow(id, name, false, NOW, Optional.empty());
    }

    @Test
    void aKeyBelongsToOneUser() {
        accounts.apply(new AccountCommand.AddKey(key("bob", "SHA256:bob")));
        assertThat(accounts.rows().holder("SHA256:bob").orElseThrow().name()).isEqualTo("bob");
        assertRefused(ErrorCode.ALREADY_EXISTS, new AccountCommand.AddKey(key("cy", "SHA256:bob")));
        assertRefused(ErrorCode.NOT_FOUND, new AccountCommand.RemoveKey("usr_cy", "SHA256:bob"));
        accounts.apply(new AccountCommand.RemoveKey("usr_bob", "SHA256:bob"));
        assertThat(accounts.rows().holder("SHA256:bob")).isEmpty();
        accounts.apply(new AccountCommand.AddKey(key("cy", "SHA256:bob")));
        assertThat(accounts.rows().holder("SHA256:bob").orElseThrow().name()).isEqualTo("cy");
    }

    @Test
    void aRevokedTokenCountsNoMoreNorDoThoseThatItMade() {
        accounts.apply(new AccountCommand.AddToken(token("t1", "bob", Scopes.all(), null)));
        Scopes reading = new Scopes(Optional.empty(), Map.of(), true);
        accounts.apply(new AccountCommand.AddToken(token("t2", "bob", reading, "t1")));
        accounts.apply(new AccountCommand.AddToken(token("t3", "bob", reading, "t2")));
        accounts.apply(new AccountCommand.AddToken(token("t4", "bob", Scopes.all(), null)));
        assertThat(accounts.rows().bearer("t3", NOW).orElseThrow().scopes()).isEqualTo(reading);
        assertRefused(ErrorCode.NOT_FOUND, new AccountCommand.RevokeToken("usr_cy", Optional.empty(), "t1"));
        assertRefused(ErrorCode.NOT_FOUND, new AccountCommand.RevokeToken("usr_bob", Optional.of("t2"), "t4"));
        accounts.apply(new AccountCommand.RevokeToken("usr_bob", Optional.of("t2"), "t3"));
        assertThat(accounts.rows().bearer("t3", NOW)).isEmpty();
        accounts.apply(new AccountCommand.RevokeToken("usr_bob", Optional.of("t4"), "t1"));
        assertThat(accounts.rows().tokensOf("usr_bob")).extracting(TokenRow::id).containsExactly("t4");
        assertThat(accounts.rows().bearer("t1", NOW)).isEmpty();
        assertThat(accounts.rows().bearer("t2", NOW)).isEmpty();
        assertRefused(ErrorCode.UNAUTHENTICATED, new AccountCommand.AddToken(token("t5", "bob", reading, "t1")));
    }

    @Test
    void noTokenMakesAWiderOne() {
        Scopes nightly = Scopes.said(List.of("exec", "ps"), Map.of("job", "nightly"), false);
        accounts.apply(new AccountCommand.AddToken(until(token("t1", "bob", nightly, null), NOW.plusSeconds(60))));
        assertRefused(ErrorCode.PERMISSION_DENIED, new AccountCommand.AddToken(token("t2", "bob", nightly, "t1")));
        TokenRow later = until(token("t2", "bob", nightly, "t1"), NOW.plusSeconds(61));
        assertRefused(ErrorCode.PERMISSION_DENIED, new AccountCommand.AddToken(later));
        TokenRow wider = until(token("t2", "bob", Scopes.all(), "t1"), NOW.plusSeconds(1));
        assertRefused(ErrorCode.PERMISSION_DENIED, new AccountCommand.AddToken(wider));
        accounts.apply(new AccountCommand.AddToken(until(token("t2", "bob", nightly, "t1"), NOW.plusSeconds(1))));
        assertRefused(
                ErrorCode.UNAUTHENTICATED,
                new AccountCommand.AddToken(until(token("t3", "cy", nightly, "t1"), NOW.plusSeconds(1))));
        assertThat(accounts.rows().bearer("t2", NOW)).isPresent();
        assertThat(accounts.rows().bearer("t2", NOW.plusSeconds(1))).isEmpty();
        accounts.apply(new AccountCommand.Sweep(NOW.plusSeconds(1)));
        assertThat(accounts.rows().token("t2")).isEmpty();
        assertThat(accounts.rows().token("t1")).isPresent();
    }

    private static TokenRow until(TokenRow token, Instant end) {
        return new TokenRow(
                token.id(),
                token.user(),
                token.hash(),
                token.note(),
                token.scopes(),
                token.maker(),
                token.createdAt(),
                Optional.of(end));
    }

    @Test
    void theLastOwnerStaysAndTheLastAdministratorToo() {
        accounts.apply(new AccountCommand.AddOrganisation(organisation("red", "bob")));
        assertRefused(ErrorCode.WRONG_STATE, new AccountCommand.RemoveMember("usr_bob", "org_red", "usr_bob"));
        assertRefused(
                ErrorCode.WRONG_STATE, new AccountCommand.PutMember("usr_bob", "org_red", "usr_bob", Role.MEMBER));
        assertRefused(ErrorCode.WRONG_STATE, new AccountCommand.RemoveUser("usr_ada", "usr_bob", 0));
        assertRefused(ErrorCode.WRONG_STATE, new AccountCommand.RemoveUser("usr_ada", "usr_ada", 0));
        assertRefused(ErrorCode.WRONG_STATE, new AccountCommand.SetAdministrator("usr_ada", "usr_ada", false));
        assertRefused(ErrorCode.PERMISSION_DENIED, new AccountCommand.SetAdministrator("usr_bob", "usr_bob", true));
        accounts.apply(new AccountCommand.PutMember("usr_bob", "org_red", "usr_cy", Role.OWNER));
        accounts.apply(new AccountCommand.RemoveMember("usr_bob", "org_red", "usr_bob"));
        accounts.apply(new AccountCommand.SetAdministrator("usr_ada", "usr_bob", true));
        accounts.apply(new AccountCommand.RemoveUser("usr_bob", "usr_ada", 0));
        assertThat(accounts.rows().keys()).isEmpty();
        assertThat(accounts.rows().bearer(TestingAccounts.ADMINISTRATORS_TOKEN, NOW))
                .isEmpty();
        assertRefused(ErrorCode.WRONG_STATE, new AccountCommand.RemoveUser("usr_bob", "usr_cy", 2));
    }

    @Test
    void membersLeaveButOnlyOwnersRemoveAndStrangersSeeNoOrganisation() {
        accounts.apply(new AccountCommand.AddOrganisation(organisation("red", "bob")));
        assertRefused(ErrorCode.NOT_FOUND, new AccountCommand.PutMember("usr_cy", "org_red", "usr_cy", Role.OWNER));
        accounts.apply(new AccountCommand.PutMember("usr_bob", "org_red", "usr_cy", Role.MEMBER));
        assertRefused(
                ErrorCode.PERMISSION_DENIED, new AccountCommand.PutMember("usr_cy", "org_red", "usr_cy", Role.OWNER));
        assertRefused(ErrorCode.PERMISSION_DENIED, new AccountCommand.RemoveMember("usr_cy", "org_red", "usr_bob"));
        assertRefused(
                ErrorCode.PERMISSION_DENIED,
                new AccountCommand.SetPool("usr_bob", "org_red", Optional.of(new Pool(1, 1, 1))));
        assertThat(accounts.rows()
                        .box("usr_cy", Optional.of("org_red"), Visibility.PRIVATE, Map.of())
                        .orphaned())
                .isFalse();
        accounts.apply(new AccountCommand.RemoveMember("usr_cy", "org_red", "usr_cy"));
        assertThat(accounts.rows()
                        .box("usr_cy", Optional.of("org_red"), Visibility.PRIVATE, Map.of())
                        .orphaned())
                .isTrue();
    }

    @Test
    void anInvitationHoldsOnceAndForItsTimeAndOnlyWhileWhoeverGaveItMay() {
        accounts.apply(new AccountCommand.AddOrganisation(organisation("red", "bob")));
        assertRefused(
                ErrorCode.PERMISSION_DENIED, new AccountCommand.Invite(invitation("i0", Optional.empty(), "bob")));
        assertRefused(ErrorCode.NOT_FOUND, new AccountCommand.Invite(invitation("i0", Optional.of("red"), "cy")));
        for (String id : List.of("i1", "i2", "i3", "i4")) {
            accounts.apply(new AccountCommand.Invite(invitation(id, Optional.of("red"), "bob")));
        }
        accounts.apply(new AccountCommand.Enter(Secrets.hash("i1"), newcomer("eve"), NOW));
        assertThat(accounts.rows().organisation("org_red").orElseThrow().members())
                .containsEntry("usr_eve", Role.MEMBER);
        assertRefused(ErrorCode.PERMISSION_DENIED, new AccountCommand.Enter(Secrets.hash("i1"), newcomer("mal"), NOW));
        assertRefused(
                ErrorCode.PERMISSION_DENIED,
                new AccountCommand.Join(Secrets.hash("i2"), "usr_cy", NOW.plusSeconds(60)));
        accounts.apply(new AccountCommand.Join(Secrets.hash("i2"), "usr_bob", NOW));
        assertThat(accounts.rows().organisation("org_red").orElseThrow().isOwner("usr_bob"))
                .isTrue();
        accounts.apply(new AccountCommand.Withdraw("usr_bob", "i3"));
        assertRefused(ErrorCode.PERMISSION_DENIED, new AccountCommand.Join(Secrets.hash("i3"), "usr_cy", NOW));
        accounts.apply(new AccountCommand.PutMember("usr_bob", "org_red", "usr_eve", Role.OWNER));
        accounts.apply(new AccountCommand.RemoveMember("usr_eve", "org_red", "usr_bob"));
        assertRefused(ErrorCode.PERMISSION_DENIED, new AccountCommand.Join(Secrets.hash("i4"), "usr_cy", NOW));
    }

    @Test
    void anIdentityElsewhereIsOneUserHere() {
        IdentityRow bobs = new IdentityRow("https://id.example", "s1", "usr_bob", "bob@example.org", NOW);
        accounts.apply(new AccountCommand.Link(bobs));
        assertRefused(
                ErrorCode.ALREADY_EXISTS,
                new AccountCommand.Link(new IdentityRow("https://id.example", "s1", "usr_cy", "", NOW)));
        accounts.apply(new AccountCommand.Link(new IdentityRow("https://other.example", "s1", "usr_cy", "", NOW)));
        assertThat(accounts.rows()
                        .identity("https://id.example", "s1")
                        .orElseThrow()
                        .user())
                .isEqualTo("usr_bob");
        accounts.apply(new AccountCommand.RemoveUser("usr_ada", "usr_bob", 0));
        assertThat(accounts.rows().identity("https://id.example", "s1")).isEmpty();
    }
}
