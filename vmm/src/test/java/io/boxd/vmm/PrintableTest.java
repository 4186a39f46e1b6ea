package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class PrintableTest {
    @Test
    void leavesTextAlone() {
        assertThat(Printable.of("")).isEmpty();
        assertThat(Printable.of("Größe: 5 €, 日本, 🙂")).isEqualTo("Größe: 5 €, 日本, 🙂");
    }

    @Test
    void showsWhatATerminalWouldObey() {
        assertThat(Printable.of("\u001b]0;x\u0007")).isEqualTo("\\u001b]0;x\\u0007");
        assertThat(Printable.of("a\r\nb\tc\u0085\u009b")).isEqualTo("a\\u000d\\u000ab\\u0009c\\u0085\\u009b");
        assertThat(Printable.of("\u202eabc\u200b")).isEqualTo("\\u202eabc\\u200b");
    }

    /** One message is one line, also for readers that know more ends of lines than two. */
    @Test
    void isOneLine() {
        assertThat(Printable.of("a\u2028b\u2029c")).isEqualTo("a\\u2028b\\u2029c");
    }

    @Test
    void showsHalvesOfCharacters() {
        assertThat(Printable.of("a\ud800b\udc00")).isEqualTo("a\\ud800b\\udc00");
    }

    @Test
    void isBounded() {
        assertThat(Printable.of("x".repeat(500))).isEqualTo("x".repeat(500));
        assertThat(Printable.of("x".repeat(501))).isEqualTo("x".repeat(500) + "…");
        assertThat(Printable.of("🙂".repeat(500))).isEqualTo("🙂".repeat(500));
        assertThat(Printable.of("\u0000".repeat(1 << 20))).hasSizeLessThan(3100);
    }
}
