package io.boxd.accounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
final class ShareTest {
    private static final long GIB = 1L << 30;
    private static final Quota SMALL = new Quota(3, 2, 5, 6 * GIB, 40 * GIB, 2);

    private final TestingAccounts accounts = TestingAccounts.begun();

    private static Holding box(String owner, Optional<String> organisation, boolean awake) {
        return new Holding("usr_" + owner, organisation, 2, 2 * GIB, 10 * GIB, awake);
    }

    private static Holding mine(boolean awake) {
        return box("bob", Optional.empty(), awake);
    }

    private Share bobs() {
        return Share.own(accounts.rows(), "usr_bob", SMALL);
    }

    /** The first that a box in red counts against. */
    private Share pool(String owner) {
        return Share.of(accounts.rows(), "usr_" + owner, Optional.of("org_red"), SMALL)
                .getFirst();
    }

    private static void assertRefused(Share share, Usage used, Usage more, String... words) {
        assertThatThrownBy(() -> share.requireAwake(used, more)).isInstanceOfSatisfying(BoxdException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED);
            assertThat(e.getMessage() + " " + e.hint()).contains(words);
        });
    }

    @Test
    void aBoxThatSleepsKeepsItsPlaceAndItsDiskAndGivesTheRestBack() {
        assertThat(Usage.of(List.of(mine(true), mine(false)), 1)).isEqualTo(new Usage(2, 1, 2, 2 * GIB, 20 * GIB, 1));
        Usage asleep = Usage.of(List.of(mine(false), mine(false)), 0);
        Usage awake = Usage.of(List.of(mine(true), mine(true)), 0);
        Usage another = Usage.of(List.of(mine(true)), 0);
        assertThatCode(() -> bobs().requireAwake(asleep, another)).doesNotThrowAnyException();
        assertRefused(bobs(), awake, another, "1 more boxes that are awake", "bob may have 2", "there are 2");
        assertRefused(bobs(), awake, Usage.ofWaking(List.of(mine(false))), "awake");
        assertThatCode(() ->
                        bobs().requireAwake(Usage.of(List.of(mine(true)), 0), Usage.ofWaking(List.of(mine(false)))))
                .doesNotThrowAnyException();
    }

    @Test
    void everyRefusalNamesTheLimitTheUseAndWhoCanRaiseIt() {
        String ada = "ask an administrator (ada) for more: boxd quota set bob";
        Usage one = new Usage(0, 1, 0, 0, 0, 0);
        assertRefused(bobs(), new Usage(0, 2, 0, 0, 0, 0), one, "bob may have 2", "there are 2", ada);
        assertRefused(bobs(), new Usage(0, 1, 4, 0, 0, 0), new Usage(0, 0, 2, 0, 0, 0), "processors", "5", "4", ada);
        assertRefused(
                bobs(), new Usage(0, 0, 0, 5 * GIB, 0, 0), new Usage(0, 0, 0, 2 * GIB, 0, 0), "6 GiB", "5 GiB", ada);
        assertThat(bobs().hint()).contains(ada);
    }

    /** Whoever is over a limit that was lowered may still do what does not need more of it. */
    @Test
    void whatIsNotAskedForIsNotRefused() {
        Usage much = new Usage(9, 9, 99, 99 * GIB, 999 * GIB, 99);
        assertThatCode(() -> bobs().requireAwake(much, Usage.none())).doesNotThrowAnyException();
        assertRefused(bobs(), much, new Usage(0, 0, 0, 1, 0, 0), "memory");
    }

    @Test
    void boxesOfAnOrganisationWithAPoolDrawFromItAndNotFromTheirOwners() {
        accounts.apply(new AccountCommand.AddOrganisation(TestingAccounts.organisation("red", "bob")));
        Optional<String> red = Optional.of("org_red");
        List<Holding> all = new ArrayList<>(List.of(mine(true), box("bob", red, true), box("cy", red, false)));
        assertThat(pool("bob").counted(all)).as("no pool yet").hasSize(2);
        accounts.apply(new AccountCommand.SetPool("usr_ada", "org_red", Optional.of(new Pool(3, 4, 4 * GIB))));
        assertThat(pool("bob").counted(all)).hasSize(2).doesNotContain(mine(true));
        assertThat(bobs().counted(all)).containsExactly(mine(true));
        Share pool = pool("bob");
        Usage used = Usage.of(pool("bob").counted(all), 0);
        assertThatCode(() -> pool.requireAwake(used, Usage.ofWaking(List.of(box("cy", red, false)))))
                .doesNotThrowAnyException();
        all.add(box("cy", red, true));
        Usage full = Usage.of(pool("cy").counted(all), 0);
        assertRefused(
                pool,
                full,
                Usage.ofWaking(List.of(box("cy", red, false))),
                "the pool of red may have 4",
                "there are 4",
                "boxd org pool red");
    }

    @Test
    void aMemberMayHaveALimitWithinThePool() {
        accounts.apply(new AccountCommand.AddOrganisation(TestingAccounts.organisation("red", "bob")));
        accounts.apply(new AccountCommand.PutMember("usr_bob", "org_red", "usr_cy", Role.MEMBER));
        Pool small = new Pool(2, 2, 2 * GIB);
        AccountCommand limit = new AccountCommand.LimitMember("usr_bob", "org_red", "usr_cy", Optional.of(small));
        assertThatThrownBy(() -> accounts.apply(limit)).hasMessageContaining("no pool");
        accounts.apply(new AccountCommand.SetPool("usr_ada", "org_red", Optional.of(new Pool(9, 9, 9 * GIB))));
        assertThatThrownBy(() ->
                        accounts.apply(new AccountCommand.LimitMember("usr_cy", "org_red", "usr_cy", Optional.empty())))
                .hasMessageContaining("owners of red");
        accounts.apply(limit);
        Optional<String> red = Optional.of("org_red");
        List<Holding> all = List.of(box("bob", red, true), box("cy", red, true), box("cy", red, false));
        List<Share> ofCy = Share.of(accounts.rows(), "usr_cy", red, SMALL);
        assertThat(ofCy).hasSize(2);
        assertThat(ofCy.getFirst().counted(all)).hasSize(3);
        assertThat(ofCy.getLast().counted(all)).as("their own in it").hasSize(2);
        assertRefused(
                ofCy.getLast(),
                Usage.of(ofCy.getLast().counted(all), 0),
                Usage.ofWaking(List.of(box("cy", red, false))),
                "2 more virtual processors",
                "cy in the pool of red may have 2",
                "there are 2",
                "ask an owner of red (bob)",
                "boxd org pool red --member cy");
        assertThat(Share.of(accounts.rows(), "usr_bob", red, SMALL))
                .as("others have none")
                .hasSize(1);
        accounts.apply(new AccountCommand.RemoveMember("usr_bob", "org_red", "usr_cy"));
        accounts.apply(new AccountCommand.PutMember("usr_bob", "org_red", "usr_cy", Role.MEMBER));
        assertThat(Share.of(accounts.rows(), "usr_cy", red, SMALL))
                .as("who comes again begins anew")
                .hasSize(1);
    }

    @Test
    void anAccountsOwnQuotaCountsInsteadOfTheUsualOne() {
        accounts.apply(new AccountCommand.SetQuota("usr_ada", "usr_bob", Optional.of(SMALL.withBoxes(50))));
        assertThat(bobs().quota().boxes()).isEqualTo(50);
        assertThat(Share.own(accounts.rows(), "usr_cy", SMALL).quota().boxes()).isEqualTo(3);
    }
}
