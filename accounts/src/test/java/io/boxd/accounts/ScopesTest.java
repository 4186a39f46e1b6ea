package io.boxd.accounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Json;
import io.boxd.verbs.Right;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
final class ScopesTest {
    private static List<Scopes> some() {
        List<Scopes> all = new ArrayList<>();
        for (Optional<Set<String>> verbs : List.of(
                Optional.<Set<String>>empty(),
                Optional.of(Set.<String>of()),
                Optional.of(Set.of("a")),
                Optional.of(Set.of("b")),
                Optional.of(Set.of("a", "b")))) {
            for (Map<String, String> labels :
                    List.of(Map.<String, String>of(), Map.of("k", "v"), Map.of("k", "w"), Map.of("k", "v", "l", "v"))) {
                all.add(new Scopes(verbs, labels, false));
                all.add(new Scopes(verbs, labels, true));
            }
        }
        return all;
    }

    /** Within means: whatever one allows, the other allows; tried out on deeds and boxes. */
    @Test
    void whatIsWithinOthersAllowsNothingMore() {
        List<Deed> deeds = List.of(
                new Deed("a", Right.READ),
                new Deed("b", Right.READ),
                new Deed("c", Right.READ),
                new Deed("a", Right.USE),
                new Deed("c", Right.OWN));
        List<Map<String, String>> boxes =
                List.of(Map.of(), Map.of("k", "v"), Map.of("k", "w"), Map.of("k", "v", "l", "v"), Map.of("l", "v"));
        int narrower = 0;
        for (Scopes mine : some()) {
            for (Scopes makers : some()) {
                boolean more = deeds.stream()
                        .anyMatch(deed -> boxes.stream()
                                .anyMatch(box -> mine.allow(deed)
                                        && mine.allow(box)
                                        && !(makers.allow(deed) && makers.allow(box))));
                if (mine.areWithin(makers)) {
                    narrower++;
                    assertThat(more).as("%s within %s", mine, makers).isFalse();
                }
            }
        }
        assertThat(narrower).isGreaterThan(100);
    }

    @Test
    void groupsBecomeTheVerbsThatTheyHaveNow() {
        Scopes scopes = Scopes.said(List.of("sleep", "ls", "cp"), Map.of(), false);
        assertThat(scopes.verbs().orElseThrow())
                .contains("pause", "wake", "why", "list", "cp")
                .doesNotContain("exec");
        assertThatThrownBy(() -> Scopes.said(List.of("everything"), Map.of(), false))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.hint()).contains("sleep"));
    }

    @Test
    void theSameScopesAreTheSameText() {
        Scopes scopes = Scopes.said(List.of("sleep", "exec"), Map.of("b", "1", "a", "2"), true);
        String text = Json.write(scopes);
        assertThat(Json.read(text, Scopes.class)).isEqualTo(scopes);
        assertThat(Json.write(Json.read(text, Scopes.class))).isEqualTo(text);
        assertThat(Json.read(Json.write(Scopes.all()), Scopes.class)).isEqualTo(Scopes.all());
    }
}
