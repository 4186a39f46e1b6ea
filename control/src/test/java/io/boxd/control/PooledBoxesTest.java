package io.boxd.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Boxes of an organisation draw from its pool, and a member from what they may take of it. */
@Tag("unit")
final class PooledBoxesTest {
    private final TestingControl house = new TestingControl();

    @BeforeEach
    void pool() {
        house.say("bob", "org create", "{'name':'red'}");
        house.say("bob", "org add", "{'org':'red','user':'cy'}");
        house.say("org pool", "{'org':'red','boxes':3,'cpus':99,'memory_bytes':999999999999}");
    }

    @AfterEach
    void close() {
        house.close();
    }

    private void make(String user, String name) {
        house.say(user, "new", "{'name':'" + name + "','org':'red'}");
    }

    private void assertRefused(String user, String... words) {
        assertThatThrownBy(() -> make(user, "too-many")).isInstanceOfSatisfying(BoxdException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED);
            assertThat(e.getMessage() + " " + e.hint()).contains(words);
        });
    }

    @Test
    void aMemberTakesNoMoreThanTheirLimitAndAllTogetherNoMoreThanThePool() {
        JsonNode members = house.say(
                "bob", "org pool", "{'org':'red','member':'cy','boxes':1,'cpus':8,'memory_bytes':99999999999}");
        assertThat(members.path("name").asString()).isEqualTo("red");
        make("cy", "one");
        assertRefused("cy", "cy in the pool of red may have 1", "there are 1", "owner of red (bob)", "--member cy");
        make("bob", "two");
        make("bob", "three");
        assertRefused("bob", "the pool of red may have 3", "there are 3", "administrator (ada)");
        house.say("bob", "new", "{'name':'his-own'}");
        JsonNode shown = house.say("bob", "org members", "{'org':'red'}");
        assertThat(shown.get(0).path("limit").isNull()).isTrue();
        assertThat(shown.get(1).path("limit").path("boxes").asInt()).isEqualTo(1);
    }

    @Test
    void withoutTheLimitThePoolIsAllThatCounts() {
        house.say("bob", "org pool", "{'org':'red','member':'cy','boxes':1,'cpus':8,'memory_bytes':99999999999}");
        house.say("bob", "org pool", "{'org':'red','member':'cy','none':true}");
        make("cy", "one");
        make("cy", "two");
        assertThatThrownBy(() -> house.say("cy", "org pool", "{'org':'red','member':'cy','none':true}"))
                .hasMessageContaining("owners of red");
        assertThatThrownBy(() -> house.say("bob", "org pool", "{'org':'red','boxes':9,'cpus':9,'memory_bytes':9}"))
                .as("the pool itself is for administrators")
                .isInstanceOf(BoxdException.class);
    }
}
