package io.boxd.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
final class PlainJsonTest {
    @Test
    void valuesComeBackAsTheyWere() {
        Map<String, Object> value = Map.of(
                "text",
                "ü\n\u001b[31m",
                "whole",
                8L << 30,
                "part",
                1.5,
                "flag",
                true,
                "list",
                Arrays.asList(1L, null, List.of(), Map.of("k", "v")));
        assertThat(PlainJson.parse(PlainJson.write(value))).isEqualTo(value);
        assertThat(PlainJson.parse("null")).isNull();
        assertThat(PlainJson.write(null)).isEqualTo("null");
    }

    @Test
    void fieldsKeepTheirOrder() {
        assertThat(PlainJson.write(PlainJson.parse("{\"b\":1,\"a\":[true,false]}")))
                .isEqualTo("{\"b\":1,\"a\":[true,false]}");
    }

    @Test
    void numbersThatAreTooLargeAreRounded() {
        assertThat(PlainJson.parse("123456789012345678901234567890")).isEqualTo(1.2345678901234568e29);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "{", "[1,", "{\"a\"}", "{\"a\":1}}", "1 2", "tru", "]", "\"\u0001\"", "{'a':1}"})
    void brokenTextIsRefusedWithoutQuotingIt(String text) {
        assertThatThrownBy(() -> PlainJson.parse(text))
                .isInstanceOf(BoxdException.class)
                .hasMessageStartingWith("not valid JSON");
    }

    @Test
    void depthAndSizeAreBounded() {
        assertThatThrownBy(() -> PlainJson.parse("[".repeat(100_000))).isInstanceOf(BoxdException.class);
        assertThatThrownBy(() -> PlainJson.parse("\"" + "x".repeat(2 << 20) + "\""))
                .isInstanceOf(BoxdException.class);
    }
}
