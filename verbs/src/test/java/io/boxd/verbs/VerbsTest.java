package io.boxd.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Whether the table keeps its own promises. */
@Tag("unit")
final class VerbsTest {
    private static final CommandLine LINES = new CommandLine(Verbs.withDoors(), path -> "");
    private static final Pattern SHELL_WORD = Pattern.compile("'([^']*)'|(\\S+)");

    @Test
    void namesAndAliasesAreUnique() {
        Set<String> names = new HashSet<>();
        for (Verb verb : Verbs.withDoors()) {
            Stream.concat(Stream.of(verb.name()), verb.aliases().stream())
                    .forEach(name -> assertThat(names.add(name)).as(name).isTrue());
        }
    }

    @Test
    void whatAServerAnswersHasARouteAndTheRestHasNone() {
        assertThat(Verbs.withDoors()).containsAll(Verbs.all());
        for (Verb verb : Verbs.withDoors()) {
            boolean byDoor = verb.route().method() == Route.Method.DOOR || verb.isLocal();
            assertThat(byDoor).as(verb.name()).isEqualTo(!Verbs.all().contains(verb));
        }
        List<Route> routes = Verbs.all().stream().map(Verb::route).toList();
        assertThat(routes).doesNotHaveDuplicates();
    }

    /** One that nobody has thought about is for administrators only, which this test then tells. */
    @Test
    void eachVerbSaysWhichRightItNeedsAndOnlyQuestionsRead() {
        for (Verb verb : Verbs.withDoors()) {
            assertThat(Rights.isKnown(verb.name())).as(verb.name()).isTrue();
            boolean asks = verb.route().method() == Route.Method.GET;
            assertThat(asks && !verb.reads()).as(verb.name() + " is a GET").isFalse();
            boolean tells = verb.route().method() == Route.Method.POST
                    || verb.route().method() == Route.Method.PUT
                    || verb.route().method() == Route.Method.PATCH
                    || verb.route().method() == Route.Method.DELETE;
            assertThat(tells && verb.reads())
                    .as(verb.name() + " changes something")
                    .isFalse();
        }
        assertThat(Rights.of("something new")).isEqualTo(Right.HOST);
    }

    @TestFactory
    Stream<DynamicTest> eachVerbsExamplesAreUnderstoodAndItsHelpFits() {
        return Verbs.withDoors().stream().map(verb -> DynamicTest.dynamicTest(verb.name(), () -> check(verb)));
    }

    private static void check(Verb verb) {
        assertThat(verb.examples()).isNotEmpty();
        for (String example : verb.examples()) {
            List<String> line = SHELL_WORD
                    .matcher(example)
                    .results()
                    .map(word -> word.group(1) == null ? word.group(2) : word.group(1))
                    .toList();
            assertThat(LINES.parse(line)).isInstanceOfSatisfying(Said.Do.class, said -> {
                assertThat(said.request().verb()).isEqualTo(verb);
                assertThat(said.request().target()).doesNotContain("{");
            });
        }
        String help = Help.of(verb, "boxd");
        assertThat(help)
                .contains(
                        "boxd " + verb.name(),
                        "--json",
                        "--help",
                        verb.examples().getFirst());
        assertThat(help.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
        verb.parameters().forEach(parameter -> assertThat(help).contains(parameter.help()));
        assertThat(Set.copyOf(verb.options().stream().map(Parameter::name).toList()))
                .as("names of options")
                .hasSize(verb.options().size());
    }

    @Test
    void theOverviewNamesEveryVerbAndFits() {
        String overview = Help.overview(Verbs.withDoors(), "boxd");
        Verbs.withDoors().forEach(verb -> assertThat(overview).contains("  " + verb.name()));
        assertThat(overview.lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
        List<Verb> snapshots = Verbs.withDoors().stream()
                .filter(verb -> verb.name().startsWith("snapshot "))
                .toList();
        assertThat(Help.family("snapshot", snapshots, "boxd")).contains("snapshot save|list|show|rm …");
    }

    @Test
    void eachCodeHasItsStatus() {
        assertThat(Stream.of(io.boxd.common.ErrorCode.values()).map(Exits::of))
                .containsExactly(2, 5, 5, 3, 4, 4, 6, 6, 7, 7, 1);
    }
}
