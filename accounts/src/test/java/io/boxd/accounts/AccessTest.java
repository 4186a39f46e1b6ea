package io.boxd.accounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.accounts.Access.Verdict;
import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.Right;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every verb, for everybody, to every kind of box, with every kind of token; against a table that was written by
 * hand.
 */
@Tag("unit")
final class AccessTest {
    private static final String ME = "usr_me";
    private static final String OTHER = "usr_other";
    private static final String ORG = "org_x";

    /** Whose the box is; where; what I am there; then what follows for reading, using and owning verbs. */
    private static final String TABLE = """
            mine    personal         -      allowed allowed allowed
            others  personal         -      hidden  hidden  hidden
            mine    private          none   hidden  hidden  hidden
            mine    private          member allowed allowed allowed
            mine    private          owner  allowed allowed allowed
            mine    shared           none   hidden  hidden  hidden
            mine    shared           member allowed allowed allowed
            mine    shared           owner  allowed allowed allowed
            others  private          none   hidden  hidden  hidden
            others  private          member hidden  hidden  hidden
            others  private          owner  hidden  hidden  hidden
            others  shared           none   hidden  hidden  hidden
            others  shared           member allowed allowed not_theirs
            others  shared           owner  allowed allowed allowed
            others  private-orphaned none   hidden  hidden  hidden
            others  private-orphaned member hidden  hidden  hidden
            others  private-orphaned owner  allowed allowed allowed
            others  shared-orphaned  none   hidden  hidden  hidden
            others  shared-orphaned  member allowed allowed not_theirs
            others  shared-orphaned  owner  allowed allowed allowed
            """;

    /** Verbs that a token which only reads is for; by hand, so that no verb becomes one by accident. */
    private static final Set<String> READING = Set.of(
            "list",
            "info",
            "top",
            "ps",
            "logs",
            "why",
            "snapshot list",
            "snapshot show",
            "timeline",
            "image list",
            "status",
            "whoami",
            "key list",
            "token list",
            "org list",
            "org members",
            "usage",
            "quota show",
            "events",
            "invitation list",
            "user list",
            "audit",
            "audit verify",
            "webhook list",
            "webhook dead list",
            "ssh-config",
            "trust",
            "certificate list",
            "completion",
            "man",
            "context list",
            "version");

    /** Something that judges. */
    private interface Judge {
        Verdict judge(Principal who, Deed deed, BoxFacts box);
    }

    private record Case(Principal who, Deed deed, BoxFacts box, Verdict expected) {}

    private static Principal me(boolean administrator, String role, Scopes scopes) {
        Map<String, Role> roles = new HashMap<>(Map.of("org_elsewhere", Role.OWNER));
        Role.named(role).ifPresent(there -> roles.put(ORG, there));
        return new Principal(ME, "me", administrator, roles, scopes, Optional.of("tok_1"));
    }

    private static BoxFacts box(String whose, String where) {
        Optional<String> organisation = where.equals("personal") ? Optional.empty() : Optional.of(ORG);
        Visibility visibility = where.startsWith("shared") ? Visibility.SHARED : Visibility.PRIVATE;
        return new BoxFacts(
                whose.equals("mine") ? ME : OTHER,
                organisation,
                visibility,
                Map.of("job", "nightly", "team", "red"),
                where.endsWith("orphaned"));
    }

    private static boolean isForAdministrators(Deed deed) {
        return deed.right() == Right.HOST || deed.right() == Right.INSPECT;
    }

    private static List<Deed> deeds() {
        Stream<Deed> table = Verbs.withDoors().stream().map(Deed::of);
        Stream<Deed> rights = Stream.of(Right.values()).map(right -> new Deed("something new", right));
        return Stream.of(table, rights, Stream.of(Deed.readingFiles(), Deed.writingFiles()))
                .flatMap(all -> all)
                .toList();
    }

    private static List<Scopes> scopes(Deed deed) {
        List<Optional<Set<String>>> verbs =
                List.of(Optional.empty(), Optional.of(Set.of(deed.verb(), "x")), Optional.of(Set.of("y")));
        List<Map<String, String>> labels = List.of(
                Map.of(),
                Map.of("job", "nightly"),
                Map.of("job", "nightly", "team", "red"),
                Map.of("job", "daily"),
                Map.of("job", "nightly", "nobody", "has"));
        List<Scopes> all = new ArrayList<>();
        for (Optional<Set<String>> some : verbs) {
            for (Map<String, String> on : labels) {
                all.add(new Scopes(some, on, false));
                all.add(new Scopes(some, on, true));
            }
        }
        return all;
    }

    private static Verdict expected(boolean administrator, Deed deed, Scopes scopes, String[] row) {
        boolean verbAllowed = scopes.verbs().isEmpty() || !scopes.verbs().get().contains("y");
        if (!verbAllowed || (scopes.readOnly() && deed.right() != Right.READ && deed.right() != Right.INSPECT)) {
            return Verdict.BEYOND_TOKEN;
        }
        boolean limited = scopes.readOnly()
                || scopes.verbs().isPresent()
                || !scopes.labels().isEmpty();
        if (deed.right() == Right.ACCOUNT && limited) {
            return Verdict.BEYOND_TOKEN;
        }
        if (isForAdministrators(deed) && !administrator) {
            return Verdict.NOT_THEIRS;
        }
        if (isForAdministrators(deed) && !scopes.labels().isEmpty()) {
            return Verdict.BEYOND_TOKEN;
        }
        if (scopes.labels().containsValue("daily") || scopes.labels().containsKey("nobody")) {
            return Verdict.HIDDEN;
        }
        if (administrator) {
            return Verdict.ALLOWED;
        }
        int column = switch (deed.right()) {
            case READ -> 3;
            case USE -> 4;
            case OWN, ACCOUNT, INSPECT, HOST -> 5;
        };
        return Verdict.valueOf(row[column].toUpperCase(java.util.Locale.ROOT));
    }

    private static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (String line : TABLE.lines().toList()) {
            String[] row = line.split("\\s+", -1);
            for (Deed deed : deeds()) {
                for (Scopes scopes : scopes(deed)) {
                    for (boolean administrator : new boolean[] {false, true}) {
                        cases.add(new Case(
                                me(administrator, row[2], scopes),
                                deed,
                                box(row[0], row[1]),
                                expected(administrator, deed, scopes, row)));
                    }
                }
            }
        }
        return cases;
    }

    private static List<Case> wrong(Judge judge) {
        return cases().stream()
                .filter(one -> judge.judge(one.who(), one.deed(), one.box()) != one.expected())
                .toList();
    }

    @Test
    void everyVerdictIsThatOfTheTable() {
        assertThat(cases().size()).isGreaterThan(40_000);
        assertThat(wrong(Access::of)).isEmpty();
    }

    /** Red controls: judges that forget one thing each are all found out. */
    @Test
    void whoeverForgetsARuleIsFoundOut() {
        Map<String, Judge> forgetful = Map.of(
                "that a token has limits",
                (who, deed, box) -> Access.of(with(who, Scopes.all()), deed, box),
                "that it only reads",
                (who, deed, box) -> Access.of(
                        with(who, new Scopes(who.scopes().verbs(), who.scopes().labels(), false)), deed, box),
                "labels",
                (who, deed, box) -> Access.of(
                        with(
                                who,
                                new Scopes(
                                        who.scopes().verbs(),
                                        Map.of(),
                                        who.scopes().readOnly())),
                        deed,
                        box),
                "that private is private",
                (who, deed, box) -> Access.of(
                        who,
                        deed,
                        new BoxFacts(box.owner(), box.organisation(), Visibility.SHARED, box.labels(), box.orphaned())),
                "that whoever left is out",
                (who, deed, box) -> Access.of(
                        who,
                        deed,
                        box.owner().equals(who.user())
                                ? new BoxFacts(box.owner(), Optional.empty(), box.visibility(), box.labels(), false)
                                : box),
                "that sharing is not giving",
                (who, deed, box) -> Access.of(who, new Deed(deed.verb(), Right.USE), box),
                "that organisations differ",
                (who, deed, box) -> Access.of(
                        new Principal(
                                who.user(),
                                who.name(),
                                who.administrator(),
                                Map.of(ORG, Role.OWNER),
                                who.scopes(),
                                who.token()),
                        deed,
                        box));
        forgetful.forEach((what, judge) -> assertThat(wrong(judge)).as(what).isNotEmpty());
    }

    private static Principal with(Principal who, Scopes scopes) {
        return new Principal(who.user(), who.name(), who.administrator(), who.roles(), scopes, who.token());
    }

    @Test
    void onlyTheseVerbsRead() {
        assertThat(Verbs.withDoors().stream().filter(Verb::reads).map(Verb::name))
                .containsExactlyInAnyOrderElementsOf(READING);
    }

    @Test
    void aBoxThatIsNotTheirsToSeeIsAnsweredAsOneThatIsNotThere() {
        Principal stranger = me(false, "none", Scopes.all());
        BoxFacts hidden = box("others", "private");
        for (Deed deed : deeds()) {
            if (isForAdministrators(deed)) {
                continue;
            }
            assertThatThrownBy(() -> Access.require(stranger, deed, hidden, "task-1"))
                    .isInstanceOfSatisfying(BoxdException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND);
                        assertThat(e).hasMessage(Access.noBox("task-1").getMessage());
                        assertThat(e.hint()).isEqualTo(Access.noBox("task-1").hint());
                    });
        }
    }

    /** So the answer to what a token is not for does not tell whether there is such a box. */
    @Test
    void whatATokenIsNotForIsRefusedWithoutABox() {
        for (Case one : cases()) {
            Verdict atAll = Access.of(one.who(), one.deed());
            if (atAll != Verdict.ALLOWED) {
                assertThat(Access.of(one.who(), one.deed(), one.box())).isEqualTo(atAll);
            }
        }
    }
}
