package io.boxd.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("unit")
final class RequestRewritingTest {
    private static final String HOST = "app.boxd.example";

    private static Incoming get(Field... fields) {
        return new Incoming("GET", "/", HOST, List.of(fields), new Framing.None(), false, "192.0.2.7", 4711);
    }

    private static String sent(Incoming in) {
        return new String(
                RequestRewriting.rewrite(in, Optional.empty()).head().encoded(),
                java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    /** Whatever somebody could take for one of these names: other cases, and other characters for the hyphens. */
    private static Set<String> spellings() {
        Set<String> all = new TreeSet<>();
        for (String name : List.of("x-boxd-user", "x-boxd-error", "x-forwarded-for", "x-real-ip", "forwarded")) {
            List<String> spelled = new ArrayList<>(List.of(name));
            for (String sign : List.of("_", ".", "~", "!", "*", "+", "|", "^", "`", "'", "%", "&", "#", "$")) {
                spelled.add(name.replace("-", sign));
                spelled.add(name.replaceFirst("-", java.util.regex.Matcher.quoteReplacement(sign)));
            }
            for (String one : spelled) {
                all.add(one);
                all.add(one.toUpperCase(java.util.Locale.ROOT));
                all.add(one.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + one.substring(1));
            }
        }
        return all;
    }

    @Test
    void noSpellingOfOurFieldsGetsThrough() {
        Set<String> spellings = spellings();
        assertThat(spellings).hasSizeGreaterThan(200);
        for (String name : spellings) {
            assertThat(sent(get(new Field(name, "evil")))).as(name).doesNotContain("evil");
        }
        // The check notices what is not ours.
        assertThat(sent(get(new Field("X-Boxed-User", "evil")))).contains("evil");
    }

    @Test
    void aBoxLearnsWhoAsks() {
        assertThat(sent(get()).lines())
                .contains(
                        "GET / HTTP/1.1",
                        "Host: " + HOST,
                        "X-Forwarded-For: 192.0.2.7",
                        "X-Forwarded-Proto: http",
                        "X-Forwarded-Host: " + HOST,
                        "X-Forwarded-Port: 80",
                        "Forwarded: for=192.0.2.7;host=\"" + HOST + "\";proto=http");
    }

    @Test
    void whatIsOfTheConnectionStaysBehind() {
        String sent = sent(get(
                new Field("Connection", "keep-alive, X-Mine"),
                new Field("X-Mine", "1"),
                new Field("Keep-Alive", "1"),
                new Field("Proxy-Authorization", "x"),
                new Field("Upgrade", "h2c"),
                new Field("HTTP2-Settings", "x"),
                new Field("X-Other", "2")));
        assertThat(sent)
                .contains("X-Other: 2")
                .doesNotContainIgnoringCase("mine")
                .doesNotContain("keep-alive")
                .doesNotContain("Proxy-")
                .doesNotContainIgnoringCase("http2");
    }

    @Test
    void tokensAndLinksStayBehind() {
        String sent = sent(get(
                new Field("Authorization", "Bearer boxd_secret"),
                new Field("Cookie", "a=1; boxd-link=secret; b=2"),
                new Field("cookie", "c=3")));
        assertThat(sent).doesNotContain("secret").contains("Cookie: a=1; b=2; c=3");
        assertThat(sent(get(new Field("Authorization", "Bearer other")))).contains("Bearer other");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Content-Length|1,2",
                "Content-Length|+1",
                "Content-Length|-1",
                "Content-Length|0x10",
                "Content-Length|1 1",
                "Content-Length|9999999999999999999",
                "Transfer-Encoding|identity",
                "Transfer-Encoding|gzip, chunked",
                "Transfer-Encoding|chunked, chunked",
                "Transfer-Encoding|xchunked",
                "Connection|content-length",
                "Connection|host",
                "Connection|X-Forwarded-For",
                "Connection|x_boxd_user",
                "Bad Name|x",
                "Bad:Name|x"
            })
    void whatCouldBeReadInTwoWaysIsRefused(String name, String value) {
        assertThatThrownBy(() -> sent(get(new Field(name, value))))
                .isInstanceOf(BoxdException.class)
                .hasMessageStartingWith("the request is refused");
    }

    @Test
    void valuesHaveNoSignsOfControl() {
        for (char sign : new char[] {0, 1, 10, 11, 13, 31, 127}) {
            assertThatThrownBy(() -> sent(get(new Field("X-A", "a" + sign + "b"))))
                    .as("character %d", (int) sign)
                    .isInstanceOf(BoxdException.class);
        }
        assertThat(sent(get(new Field("X-A", "a\tb \u00e9")))).contains("X-A: a\tb \u00e9");
    }

    @Test
    void lengthsAreSaidOnce() {
        Field length = new Field("Content-Length", "3");
        assertThatThrownBy(() -> sent(get(length, length))).isInstanceOf(BoxdException.class);
        assertThatThrownBy(() -> sent(get(length, new Field("Transfer-Encoding", "chunked"))))
                .isInstanceOf(BoxdException.class);
    }

    @ParameterizedTest
    @CsvSource({"CONNECT,/", "TRACE,/", "G(T,/", "GET,http://x/", "GET,*", "GET,'/a b'", "GET,/a#b", "'',/"})
    void methodsAndTargetsAreThoseOfRequests(String method, String target) {
        Incoming in = new Incoming(method, target, HOST, List.of(), new Framing.None(), false, "::1", 1);
        assertThatThrownBy(() -> sent(in)).isInstanceOf(BoxdException.class);
    }

    @Test
    void targetsKeepTheirOddities() {
        Incoming in = new Incoming(
                "GET", "/a%2Fb/../c;d?e=%00&ü", HOST, List.of(), new Framing.None(), true, "2001:db8::1", 1);
        assertThat(sent(in))
                .startsWith("GET /a%2Fb/../c;d?e=%00&%C3%BC HTTP/1.1")
                .contains("for=\"[2001:db8::1]\"");
    }
}
