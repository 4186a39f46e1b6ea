package io.boxd.certificates;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.random.RandomGenerator;

/** When a certificate is renewed, and when that is tried again. */
final class Renewal {
    /** Often enough to hear of a revocation within the hours that authorities leave for it. */
    static final Duration ASK_AGAIN = Duration.ofHours(6);

    private static final Duration FIRST_PAUSE = Duration.ofMinutes(2);
    private static final Duration LONGEST_PAUSE = Duration.ofHours(6);
    private static final int GROWTH = 3;
    private static final int MOST_GROWTHS = 8;

    private Renewal() {}

    /** Unless its authority has something else to say: after two thirds of its life. */
    static Instant usual(Instant from, Instant until) {
        return from.plus(Duration.between(from, until).multipliedBy(2).dividedBy(3));
    }

    static Instant usual(X509Certificate certificate) {
        return usual(
                certificate.getNotBefore().toInstant(),
                certificate.getNotAfter().toInstant());
    }

    /** How long to wait after so many failures in a row. */
    static Duration pause(int failures, RandomGenerator random) {
        long factor = (long) Math.pow(GROWTH, Math.clamp(failures - 1L, 0, MOST_GROWTHS));
        Duration pause = FIRST_PAUSE.multipliedBy(factor);
        Duration bounded = pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
        return bounded.plusMillis(random.nextLong(bounded.toMillis() / 4));
    }
}
