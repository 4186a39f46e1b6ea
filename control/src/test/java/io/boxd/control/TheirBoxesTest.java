package io.boxd.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.accounts.AccountRow;
import io.boxd.accounts.AccountRows;
import io.boxd.accounts.Deed;
import io.boxd.accounts.OrganisationRow;
import io.boxd.accounts.Principal;
import io.boxd.accounts.Role;
import io.boxd.accounts.Scopes;
import io.boxd.accounts.UserRow;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.Verbs;
import io.boxd.worker.Box;
import io.boxd.worker.Boxes;
import io.boxd.worker.CheckpointRule;
import io.boxd.worker.ForkOrder;
import io.boxd.worker.Move;
import io.boxd.worker.NewBox;
import io.boxd.worker.Origination;
import io.boxd.worker.Sharing;
import io.boxd.worker.SleepRules;
import io.boxd.worker.SnapshotOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever is done to boxes by whichever method, those of others are not there. */
@Tag("unit")
final class TheirBoxesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final SleepRules AWAKE = new SleepRules(Duration.ZERO, Duration.ZERO);

    private final TestingBoxes all = new TestingBoxes();
    private final AccountRows rows = AccountRows.of(List.<AccountRow>of(
            user("ada", true),
            user("bob", false),
            user("cy", false),
            new OrganisationRow(
                    "org_red", "red", Map.of("usr_bob", Role.OWNER, "usr_cy", Role.MEMBER), Optional.empty(), NOW)));

    private static UserRow user(String name, boolean administrator) {
        return new UserRow("usr_" + name, name, administrator, NOW, Optional.empty());
    }

    private Principal who(String name) {
        return rows.principal(rows.userNamed(name).orElseThrow());
    }

    private Boxes as(String name, String verb) {
        return as(who(name), verb);
    }

    private Boxes as(Principal who, String verb) {
        Deed deed = Verbs.named(verb).map(Deed::of).orElseThrow();
        return new TheirBoxes(all, rows, who, deed);
    }

    private Box make(String name, String owner, Sharing sharing, Map<String, String> labels) {
        return all.create(
                new NewBox(
                        name,
                        new Origination.FromImage("base"),
                        Optional.empty(),
                        Map.of(),
                        labels,
                        AWAKE,
                        new CheckpointRule.Off(),
                        Optional.empty(),
                        true,
                        "usr_" + owner,
                        List.of(),
                        Optional.empty(),
                        sharing),
                soon());
    }

    private static Deadline soon() {
        return Deadline.inSeconds(10);
    }

    private static void assertHidden(ThrowingCallable call, String said) {
        assertThatThrownBy(call).isInstanceOfSatisfying(BoxdException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND);
            assertThat(e).hasMessage("there is no box " + said);
        });
    }

    private static void assertDenied(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PERMISSION_DENIED));
    }

    @Test
    void aBoxOfSomebodyElseIsNotThereWhateverIsDoneToIt() {
        make("secret", "bob", Sharing.none(), Map.of());
        String snapshot = all.snapshot("secret", SnapshotOrder.saved(Optional.of("golden")), soon())
                .id();
        Boxes cys = as("cy", "destroy");
        ForkOrder copies = new ForkOrder(List.of("copy"), false, Map.of());
        List<ThrowingCallable> deeds = List.of(
                () -> cys.find("secret"),
                () -> cys.rename("secret", "mine"),
                () -> cys.label("secret", Map.of("a", Optional.of("b"))),
                () -> cys.resize("secret", all.find("secret").size(), List.of(), soon()),
                () -> cys.setSleep("secret", AWAKE),
                () -> cys.move("secret", Move.STOP, soon()),
                () -> cys.destroy(List.of("secret"), false, soon()),
                () -> cys.snapshot("secret", SnapshotOrder.saved(Optional.empty()), soon()),
                () -> cys.snapshots(Optional.of("secret")),
                () -> cys.rollback("secret", snapshot, soon()),
                () -> cys.promote("secret", soon()),
                () -> cys.hold("secret", "x", soon()),
                () -> cys.commandBegun("secret"),
                () -> cys.busy("secret", Duration.ofSeconds(1), soon()),
                () -> cys.why("secret"),
                () -> cys.console("secret"),
                () -> cys.fork("secret", copies, soon()));
        deeds.forEach(deed -> assertHidden(deed, "secret"));
        assertHidden(() -> cys.find("nothing"), "nothing");
        assertThatThrownBy(() -> cys.findSnapshot("golden")).hasMessage("there is no snapshot golden");
        assertThatThrownBy(() -> cys.forgetSnapshot(snapshot)).hasMessage("there is no snapshot " + snapshot);
        assertThat(cys.list()).isEmpty();
        assertThat(cys.figures()).isEmpty();
        assertThat(cys.snapshots(Optional.empty())).isEmpty();
        assertThat(all.list()).hasSize(1);
        assertThat(as("bob", "list").list()).hasSize(1);
        assertThat(as("ada", "list").list()).hasSize(1);
    }

    @Test
    void whatIsSharedIsUsedByMembersAndEndedByOwners() {
        make("ours", "cy", new Sharing(Optional.of("org_red"), true), Map.of());
        make("theirs", "bob", new Sharing(Optional.of("org_red"), true), Map.of());
        assertThat(as("cy", "exec").find("theirs").name()).isEqualTo("theirs");
        assertDenied(() -> as("cy", "destroy").destroy(List.of("theirs"), false, soon()));
        assertThat(as("bob", "destroy").destroy(List.of("ours"), false, soon())).hasSize(1);
    }

    @Test
    void aTreeWithForksOfOthersStays() {
        make("root", "bob", Sharing.none(), Map.of());
        ForkOrder fork =
                new ForkOrder(List.of("leaf"), false, Map.of(), "usr_cy", List.of(), Optional.empty(), Sharing.none());
        all.fork("root", fork, soon());
        assertDenied(() -> as("bob", "destroy").destroy(List.of("root"), true, soon()));
        assertThat(all.list()).hasSize(2);
        assertHidden(
                () -> as("cy", "promote").promote("leaf", soon()),
                all.find("root").id());
    }

    @Test
    void aTokenForSomeLabelsMakesAndSeesOnlySuchBoxes() {
        make("job", "bob", Sharing.none(), Map.of("job", "ci"));
        make("other", "bob", Sharing.none(), Map.of());
        Principal bob = who("bob");
        Principal limited = new Principal(
                bob.user(),
                bob.name(),
                bob.administrator(),
                bob.roles(),
                new Scopes(Optional.of(Set.of("list", "new", "exec", "fork")), Map.of("job", "ci"), false),
                Optional.of("tok_1"));
        assertThat(as(limited, "list").list()).extracting(Box::name).containsExactly("job");
        assertHidden(() -> as(limited, "exec").find("other"), "other");
        assertDenied(() -> as(limited, "fork").fork("job", new ForkOrder(List.of("escaped"), false, Map.of()), soon()));
        assertDenied(() -> as(limited, "new")
                .create(
                        new NewBox(
                                "escaped",
                                new Origination.FromImage("base"),
                                Optional.empty(),
                                Map.of(),
                                Map.of("job", "other"),
                                AWAKE,
                                new CheckpointRule.Off(),
                                Optional.empty(),
                                true),
                        soon()));
    }
}
