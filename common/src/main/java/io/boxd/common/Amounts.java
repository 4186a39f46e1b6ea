package io.boxd.common;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes and durations as people write them, on a command line or in a file of settings. */
public final class Amounts {
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,12})([KMGT]?)(I?B)?");
    private static final Pattern TIME = Pattern.compile("([0-9]{1,9})([SMHD]?)");
    private static final String UNITS = "KMGT";

    private Amounts() {}

    /** {@code 512M}, {@code 8G}, {@code 100GB}: powers of 1024. */
    public static Optional<Long> bytes(String text) {
        Matcher matcher = SIZE.matcher(text.strip().toUpperCase(Locale.ROOT));
        if (!matcher.matches()) {
            return Optional.empty();
        }
        int power = matcher.group(2).isEmpty() ? 0 : UNITS.indexOf(matcher.group(2)) + 1;
        long number = Long.parseLong(matcher.group(1));
        long bytes = number << (10 * power);
        return bytes >> (10 * power) == number ? Optional.of(bytes) : Optional.empty();
    }

    /** {@code 90}, {@code 30s}, {@code 10m}, {@code 2h}, {@code 7d}; {@code off} is no time. */
    public static Optional<Duration> time(String text) {
        if (text.strip().equals("off")) {
            return Optional.of(Duration.ZERO);
        }
        Matcher matcher = TIME.matcher(text.strip().toUpperCase(Locale.ROOT));
        if (!matcher.matches()) {
            return Optional.empty();
        }
        long number = Long.parseLong(matcher.group(1));
        return Optional.of(
                switch (matcher.group(2)) {
                    case "M" -> Duration.ofMinutes(number);
                    case "H" -> Duration.ofHours(number);
                    case "D" -> Duration.ofDays(number);
                    default -> Duration.ofSeconds(number);
                });
    }
}
