package io.boxd.accounts;

import static io.boxd.accounts.TestingAccounts.NOW;
import static io.boxd.accounts.TestingAccounts.invitation;
import static io.boxd.accounts.TestingAccounts.key;
import static io.boxd.accounts.TestingAccounts.organisation;
import static io.boxd.accounts.TestingAccounts.user;
import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.BoxdException;
import io.boxd.common.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What holds after any commands in any order, and that the same commands make the same text. */
@Tag("unit")
final class AccountHistoryTest {
    private static final List<String> NAMES = List.of("ada", "bob", "cy", "dee", "eve");
    private static final int COMMANDS = 400;

    private static String pick(Random random) {
        return NAMES.get(random.nextInt(NAMES.size()));
    }

    private static Scopes scopes(Random random) {
        Optional<Set<String>> verbs = random.nextBoolean() ? Optional.empty() : Optional.of(Set.of("exec", "ps"));
        Map<String, String> labels = random.nextBoolean() ? Map.of() : Map.of("k", "v");
        return new Scopes(verbs, labels, random.nextBoolean());
    }

    private static AccountCommand command(Random random, AccountRows rows) {
        String by = "usr_" + pick(random);
        String whom = pick(random);
        String organisation = random.nextBoolean() ? "red" : "blue";
        String id = "x" + random.nextInt(12);
        return switch (random.nextInt(16)) {
            case 0, 1 -> new AccountCommand.AddUser(by, user(whom), List.of(key(whom, id)));
            case 2 -> new AccountCommand.RemoveUser(by, "usr_" + whom, random.nextInt(2));
            case 3 -> new AccountCommand.SetAdministrator(by, "usr_" + whom, random.nextBoolean());
            case 4 -> new AccountCommand.AddKey(key(whom, id));
            case 5 -> new AccountCommand.RemoveKey(by, id);
            case 6, 7 -> new AccountCommand.AddToken(token(random, id, whom, rows));
            case 8 -> new AccountCommand.RevokeToken(by, Optional.empty(), id);
            case 9 -> new AccountCommand.AddOrganisation(organisation(organisation, whom));
            case 10 -> new AccountCommand.PutMember(by, "org_" + organisation, "usr_" + whom, role(random));
            case 11 -> new AccountCommand.RemoveMember(by, "org_" + organisation, "usr_" + whom);
            case 12 -> new AccountCommand.Invite(invitation(id, Optional.of(organisation), pick(random)));
            case 13 -> new AccountCommand.Join(Secrets.hash(id), "usr_" + whom, NOW);
            case 14 -> new AccountCommand.Link(new IdentityRow("i", id, "usr_" + whom, "", NOW));
            default ->
                new AccountCommand.SetQuota(
                        by, "usr_" + whom, Optional.of(new Quota(10, 10, 20, 1L << 36, 1L << 40, 1000)));
        };
    }

    private static Role role(Random random) {
        return random.nextBoolean() ? Role.OWNER : Role.MEMBER;
    }

    private static TokenRow token(Random random, String id, String whom, AccountRows rows) {
        List<TokenRow> makers = rows.tokensOf("usr_" + whom);
        String maker = makers.isEmpty() || random.nextBoolean()
                ? null
                : makers.get(random.nextInt(makers.size())).id();
        return TestingAccounts.token(id, whom, scopes(random), maker);
    }

    /** What must be true of any rows. */
    private static List<String> wrongWith(AccountRows rows) {
        List<String> wrong = new ArrayList<>();
        if (rows.administrators().isEmpty()) {
            wrong.add("nobody administers it");
        }
        Set<String> names = new HashSet<>();
        rows.users().stream().filter(user -> !names.add(user.name())).forEach(_ -> wrong.add("two of one name"));
        rows.organisations().stream().filter(one -> !names.add(one.name())).forEach(_ -> wrong.add("two of one name"));
        rows.organisations().stream()
                .filter(one -> !one.members().containsValue(Role.OWNER))
                .forEach(_ -> wrong.add("an organisation without an owner"));
        rows.organisations().stream()
                .flatMap(one -> one.members().keySet().stream())
                .filter(user -> rows.user(user).isEmpty())
                .forEach(_ -> wrong.add("a member who is nobody"));
        rows.keys().stream().filter(key -> rows.user(key.user()).isEmpty()).forEach(_ -> wrong.add("a key of nobody"));
        rows.identities().stream()
                .filter(one -> rows.user(one.user()).isEmpty())
                .forEach(_ -> wrong.add("an identity of nobody"));
        for (TokenRow token : rows.tokens()) {
            if (rows.user(token.user()).isEmpty()) {
                wrong.add("a token of nobody");
            }
            token.maker().ifPresent(maker -> {
                Optional<TokenRow> made =
                        rows.token(maker).filter(one -> token.scopes().areWithin(one.scopes()));
                if (made.isEmpty()) {
                    wrong.add("a token that is wider than, or outlived, its maker");
                }
            });
        }
        return wrong;
    }

    private static List<String> text(AccountRows rows) {
        return rows.all().stream()
                .map(row -> row.kind().wireName() + " " + Json.write(row))
                .toList();
    }

    private static AccountRows read(AccountRows rows) {
        List<AccountRow> all = new ArrayList<>();
        rows.all().forEach(row -> all.add(Json.read(Json.write(row), row.kind().type())));
        return AccountRows.of(all);
    }

    @Test
    void whatMustHoldHoldsAfterAnyCommandsAndTheSameCommandsMakeTheSameText() {
        int accepted = 0;
        int refused = 0;
        for (long seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            TestingAccounts accounts = TestingAccounts.begun();
            AccountRows replayed = accounts.rows();
            for (int i = 0; i < COMMANDS; i++) {
                AccountCommand command = command(random, accounts.rows());
                AccountRows before = accounts.rows();
                try {
                    accounts.apply(command);
                    // By way of text, as another server or a later one would have it.
                    AccountCommand logged = AccountCommands.read(AccountCommands.write(command));
                    assertThat(logged).isEqualTo(command);
                    replayed = replayed.after(AccountDecisions.of(replayed, logged, _ -> false));
                    accepted++;
                } catch (BoxdException e) {
                    refused++;
                    assertThat(accounts.rows()).isSameAs(before);
                }
                assertThat(wrongWith(accounts.rows()))
                        .as("seed %d, %s", seed, command)
                        .isEmpty();
            }
            replayed = read(replayed);
            assertThat(text(replayed)).isEqualTo(text(accounts.rows()));
            assertThat(replayed).isEqualTo(accounts.rows());
        }
        assertThat(accepted).isGreaterThan(1000);
        assertThat(refused).isGreaterThan(1000);
    }

    @Test
    void everyCommandCanBeWritten() {
        assertThat(AccountCommands.types()).containsExactlyInAnyOrder(AccountCommand.class.getPermittedSubclasses());
        Newcomer eve = new Newcomer(
                user("eve"),
                List.of(key("eve", "k")),
                Optional.of(TestingAccounts.token("t", "eve", Scopes.all(), null)),
                Optional.of(new IdentityRow("i", "s", "usr_eve", "", NOW)));
        List<AccountCommand> others = List.of(
                new AccountCommand.Begin(user("eve"), eve.keys(), eve.token().orElseThrow()),
                new AccountCommand.Enter("h", eve, NOW),
                new AccountCommand.Admit(eve),
                new AccountCommand.SetPool("a", "o", Optional.of(new Pool(1, 2, 3))),
                new AccountCommand.LimitMember("a", "o", "u", Optional.of(new Pool(1, 2, 3))),
                new AccountCommand.Withdraw("a", "i"),
                new AccountCommand.Sweep(NOW),
                new AccountCommand.ReplaceToken(eve.token().orElseThrow()));
        others.forEach(command ->
                assertThat(AccountCommands.read(AccountCommands.write(command))).isEqualTo(command));
    }

    @Test
    void whatAnEarlierVersionHasWrittenCanBeRead() {
        OrganisationRow row = organisation("red", "bob");
        String without = Json.write(row).replace(",\"limits\":{}", "");
        assertThat(without).doesNotContain("limits");
        assertThat(Json.read(without, OrganisationRow.class)).isEqualTo(row);
        AccountCommand now =
                new AccountCommand.AddUser("usr_ada", user("eve"), List.of(key("eve", ",\"box_names\":[")));
        String text = AccountCommands.write(now);
        String earlier = text.substring(0, text.length() - 1) + ",\"box_names\":[\"red\",\"b-2\"]}";
        assertThat(AccountCommands.read(earlier)).isEqualTo(now);
    }

    /** Red controls: rows that are wrong in one way each are noticed. */
    @Test
    void rowsThatAreWrongAreNoticed() {
        AccountRows right = TestingAccounts.begun().rows();
        assertThat(wrongWith(right)).isEmpty();
        List<AccountRow> wrong = List.of(
                user("ada"),
                new UserRow("usr_2", "bob", false, NOW, Optional.empty()),
                organisation("red", "nobody"),
                new OrganisationRow("org_x", "x", Map.of("usr_bob", Role.MEMBER), Optional.empty(), NOW),
                key("nobody", "k"),
                new IdentityRow("i", "s", "usr_nobody", "", NOW),
                TestingAccounts.token("t", "nobody", Scopes.all(), null),
                TestingAccounts.token("t", "bob", Scopes.all(), "revoked"));
        for (AccountRow row : wrong) {
            assertThat(wrongWith(right.after(List.of(new AccountChange.Put(row)))))
                    .as("%s", row)
                    .isNotEmpty();
        }
    }
}
