package io.boxd.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
final class JsonTest {
    record Sample(String diskLayer, int memoryMegabytes, List<String> tags) {}

    private static final Sample SAMPLE = new Sample("a1", 512, List.of("x", "y"));
    private static final String SAMPLE_TEXT = "{\"disk_layer\":\"a1\",\"memory_megabytes\":512,\"tags\":[\"x\",\"y\"]}";

    @Test
    void recordsAreSnakeCaseBothWays() {
        assertThat(Json.write(SAMPLE)).isEqualTo(SAMPLE_TEXT);
        assertThat(Json.read(SAMPLE_TEXT, Sample.class)).isEqualTo(SAMPLE);
    }

    @Test
    void prettyTextReadsBackAndEndsTheLine() {
        String pretty = Json.writePretty(SAMPLE);
        assertThat(pretty).contains("\n").endsWith("}\n");
        assertThat(Json.read(pretty, Sample.class)).isEqualTo(SAMPLE);
    }

    @Test
    void treesReadAndWrite() {
        assertThat(Json.parse(SAMPLE_TEXT).get("memory_megabytes").asInt()).isEqualTo(512);
        assertThat(Json.write(Json.object().put("a", 1))).isEqualTo("{\"a\":1}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "{", "[1,", "{\"a\":}", "nul", "1 2", "{} {}", "{'a':1}", "\"\u0001\"", "NaN"})
    void malformedTextIsRefused(String text) {
        assertRefused(() -> Json.parse(text), "not valid JSON");
        assertRefused(() -> Json.read(text, Sample.class), "not a valid Sample");
    }

    @Test
    void unknownFieldsAndWrongTypesAreRefused() {
        assertRefused(() -> Json.read("{\"disk_layer\":\"a\",\"colour\":1}", Sample.class), "not a valid Sample");
        assertRefused(() -> Json.read("{\"memory_megabytes\":\"many\"}", Sample.class), "not a valid Sample");
        assertRefused(() -> Json.read("null", Sample.class), "not a valid Sample");
    }

    @Test
    void depthIsBounded() {
        assertThat(Json.parse("[".repeat(500) + "]".repeat(500)).isArray()).isTrue();
        assertRefused(() -> Json.parse("[".repeat(501) + "]".repeat(501)), "not valid JSON");
        assertRefused(() -> Json.parse("[".repeat(1_000_000)), "not valid JSON");
        assertRefused(() -> Json.parse("{\"a\":".repeat(1_000_000)), "not valid JSON");
    }

    @Test
    void sizesOfStringsAndNumbersAreBounded() {
        assertThat(Json.parse('"' + "a".repeat(1 << 20) + '"').isString()).isTrue();
        assertRefused(() -> Json.parse('"' + "a".repeat((1 << 20) + 70_000) + '"'), "not valid JSON");
        assertRefused(() -> Json.parse("1".repeat(1_000_000)), "not valid JSON");
    }

    /** What a hostile guest sends must not be repeated into our messages. */
    @Test
    void errorDoesNotQuoteTheInput() {
        assertThatThrownBy(() -> Json.parse("secret-token-123")).message().doesNotContain("secret");
    }

    private static void assertRefused(ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessage(message);
    }
}
