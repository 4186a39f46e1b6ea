package io.boxd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("unit")
final class EscapeTest {
    /** Keys, one piece for each bar; N is Enter, ^ is Escape, and ! stands for the way out. */
    @ParameterizedTest
    @CsvSource({
        "~., !",
        "~|., !",
        "lsN|~|., lsN!",
        "ls ~.N, ls ~.N",
        "~~., ~.",
        "~x, ~x",
        "N~N~., N~N!",
        "a~.b, a~.b",
        "~~N~., ~N!",
        "N^[5;10R~., N^[5;10R!",
        "N^[A~., N^[A~.",
        "N^[5;1|0R~., N^[5;10R!",
        "N^[5;10Rx~., N^[5;10Rx~."
    })
    void onlyATildeAndADotAtTheStartOfALineLeadOut(String typed, String expected) {
        Escape escape = new Escape();
        StringBuilder passed = new StringBuilder();
        for (String piece : typed.split("\\|", -1)) {
            byte[] keys = piece.replace('N', '\r').replace('^', (char) 27).getBytes(StandardCharsets.US_ASCII);
            byte[] kept = new byte[2 * keys.length + 2];
            int count = escape.filter(keys, keys.length, kept, 0);
            passed.append(new String(kept, 0, count < 0 ? ~count : count, StandardCharsets.US_ASCII));
            if (count < 0) {
                passed.append('!');
            }
        }
        assertThat(passed.toString().replace('\r', 'N').replace((char) 27, '^')).isEqualTo(expected);
    }
}
