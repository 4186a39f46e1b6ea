package io.boxd.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What people write for sizes and times, and what names look like. */
@Tag("unit")
class AmountsTest {
    @ParameterizedTest
    @CsvSource({"512M,536870912", "8G,8589934592", "1T,1099511627776", "100gb,107374182400", "1GiB,1073741824", "7,7"})
    void sizesAreUnderstood(String text, long bytes) {
        assertThat(Amounts.bytes(text)).contains(bytes);
    }

    @ParameterizedTest
    @CsvSource({"90,90", "30s,30", "10m,600", "2h,7200", "7d,604800", "off,0"})
    void timesAreUnderstood(String text, long seconds) {
        assertThat(Amounts.time(text)).contains(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @CsvSource({"''", "G", "-1", "1.5G", "1X", "999999999999T"})
    void otherSizesAreNot(String text) {
        assertThat(Amounts.bytes(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"task-1,true", "a,true", "-a,false", "a-,false", "A,false", "a_b,false", "'',false"})
    void namesAreHostNames(String text, boolean right) {
        assertThat(Shapes.isName(text)).isEqualTo(right);
        assertThat(Shapes.isName("a".repeat(Shapes.LONGEST_NAME))).isTrue();
        assertThat(Shapes.isName("a".repeat(Shapes.LONGEST_NAME + 1))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"3000-app,true", "3000,true", "app-3000,false", "3d-printer,false"})
    void someNamesReadAsPorts(String name, boolean port) {
        assertThat(Shapes.isLikeAPort(name)).isEqualTo(port);
    }

    @ParameterizedTest
    @CsvSource({"job,true", "a.b/c_d-e,true", "-a,false", "a-,false", "'a b',false"})
    void labelKeysAreWords(String text, boolean right) {
        assertThat(Shapes.isLabelKey(text)).isEqualTo(right);
    }
}
