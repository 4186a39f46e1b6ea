package io.boxd.accounts;

import io.boxd.common.Shapes;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/** Names for accounts, made of what people are called elsewhere. */
public final class AccountNames {
    private static final String NAMELESS = "user";
    private static final int MOST_ALIKE = 1000;

    private AccountNames() {}

    /** As close as a name here can come to a text: what cannot stand in the name of a host is left out. */
    public static Optional<String> like(String text) {
        String simple =
                text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^[0-9-]+|-+$", "");
        String cut = simple.substring(0, Math.min(simple.length(), Shapes.LONGEST_NAME))
                .replaceAll("-+$", "");
        return Optional.of(cut).filter(name -> Shapes.isName(name) && !Shapes.isLikeAPort(name));
    }

    /** One that nobody has, as close as it can be. */
    public static String free(String text, Predicate<String> taken) {
        String base = like(text).orElse(NAMELESS);
        if (!taken.test(base)) {
            return base;
        }
        for (int number = 2; number < MOST_ALIKE; number++) {
            String ending = "-" + number;
            String name = base.substring(0, Math.min(base.length(), Shapes.LONGEST_NAME - ending.length())) + ending;
            if (!taken.test(name)) {
                return name;
            }
        }
        throw new IllegalStateException("a thousand accounts are called " + base);
    }
}
