package io.boxd.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.network.Ruleset.Chain;
import io.boxd.network.Ruleset.Hook;
import io.boxd.network.Ruleset.Rule;
import io.boxd.network.Ruleset.Table;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever differs between the rules that were loaded and those that are there is noticed. */
@Tag("unit")
class RulesCheckTest {
    private static final Rule FIRST = new Rule("first", "counter drop");
    private static final Rule SECOND = new Rule("second", "accept");
    private static final Ruleset RULES = new Ruleset(List.of(new Table(
            "inet", "t", List.of(), List.of(Chain.at("c", Hook.of("filter", "forward", 0, "drop"), FIRST, SECOND)))));

    private static final String TABLE = "{\"table\": {\"family\": \"inet\", \"name\": \"t\"}}";
    private static final String CHAIN = "{\"chain\": {\"family\": \"inet\", \"table\": \"t\", \"name\": \"c\","
            + " \"type\": \"filter\", \"hook\": \"forward\", \"prio\": 0, \"policy\": \"drop\"}}";

    private static String rule(String comment) {
        return "{\"rule\": {\"family\": \"inet\", \"table\": \"t\", \"chain\": \"c\", \"comment\": \"" + comment
                + "\"}}";
    }

    private static List<String> problems(boolean alone, String... entries) {
        return RulesCheck.problems(RULES, "{\"nftables\": [" + String.join(",", entries) + "]}", alone);
    }

    @Test
    void whatIsAsItShouldBeIsNoProblem() {
        assertThat(problems(true, TABLE, CHAIN, rule(FIRST.comment()), rule(SECOND.comment())))
                .isEmpty();
    }

    @Test
    void everyDifferenceIsOne() {
        String one = rule(FIRST.comment());
        String two = rule(SECOND.comment());
        assertThat(problems(true)).hasSize(3);
        assertThat(problems(true, TABLE, CHAIN, one)).hasSize(1);
        assertThat(problems(true, TABLE, CHAIN, two, one)).hasSize(1);
        assertThat(problems(true, TABLE, CHAIN, one, two, rule("foreign"))).hasSize(1);
        assertThat(problems(true, TABLE, CHAIN.replace("\"drop\"", "\"accept\""), one, two))
                .hasSize(1);
        assertThat(problems(true, TABLE, CHAIN.replace("forward", "output"), one, two))
                .hasSize(1);
        assertThat(problems(true, TABLE, CHAIN, rule(new Rule("first", "accept").comment()), two))
                .hasSize(1);
    }

    @Test
    void tablesOfOthersMatterOnlyWhereThereMayBeNone() {
        String other = TABLE.replace("\"t\"", "\"other\"");
        String one = rule(FIRST.comment());
        String two = rule(SECOND.comment());
        assertThat(problems(false, other, TABLE, CHAIN, one, two)).isEmpty();
        assertThat(problems(true, other, TABLE, CHAIN, one, two)).hasSize(1);
    }
}
