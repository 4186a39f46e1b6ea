package io.boxd.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Mutated and random text either parses or is refused with our own error; nothing else escapes. */
@Tag("unit")
final class JsonFuzzTest {
    private static final String GRAMMAR = "{}[]\",:\\u0123456789-+eE.truefalsn \t\n\u0000\uD800é";
    private static final String SEED_TEXT =
            "{\"return\":{\"a\":[1,2.5e3,-7,\"x\\u00e9\\n\",null,true,{\"b\":[]}],\"id\":\"q-1\"}}";

    @Test
    void neverThrowsAnythingElse() {
        Deadline deadline = Deadline.inSeconds(Long.getLong("boxd.fuzz.seconds", 1));
        long seed = Long.getLong("boxd.fuzz.seed", System.nanoTime());
        int parsed = 0;
        int refused = 0;
        for (long round = seed; !deadline.passed(); round++) {
            String text = round % 2 == 0 ? mutated(new Random(round)) : random(new Random(round));
            try {
                Json.parse(text);
                parsed++;
            } catch (BoxdException e) {
                refused++;
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError("repeat with -Dboxd.fuzz.seed=" + round + ": " + text, e);
            }
        }
        assertThat(parsed).as("texts that parsed").isPositive();
        assertThat(refused).as("texts that were refused").isPositive();
    }

    private static String mutated(Random random) {
        StringBuilder text = new StringBuilder(SEED_TEXT);
        for (int i = random.nextInt(6); i > 0 && !text.isEmpty(); i--) {
            int at = random.nextInt(text.length());
            switch (random.nextInt(4)) {
                case 0 -> text.setCharAt(at, letter(random));
                case 1 -> text.deleteCharAt(at);
                case 2 -> text.insert(at, letter(random));
                default -> text.insert(at, text.substring(at, Math.min(text.length(), at + random.nextInt(40))));
            }
        }
        return text.toString();
    }

    private static String random(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(200); i > 0; i--) {
            text.append(letter(random));
        }
        return text.toString();
    }

    private static char letter(Random random) {
        return GRAMMAR.charAt(random.nextInt(GRAMMAR.length()));
    }
}
