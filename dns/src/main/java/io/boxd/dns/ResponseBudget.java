package io.boxd.dns;

import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How many answers go to whom, so that this server is no use to those who have answers sent to somebody else.
 *
 * <p>Counted by network, since a victim has more than one address. Networks share a fixed number of counters by a
 * secret hash: nothing that anybody sends makes this grow, and nobody can choose with whom they share.
 */
final class ResponseBudget {
    /** Far more than a resolver asks of one zone whose answers it may keep for a minute. */
    static final int ANSWERS_A_SECOND = 200;

    static final int BURST = 1000;

    private static final int COUNTERS = 1 << 14;
    private static final int IPV4_NETWORK_BYTES = 3;
    private static final int IPV6_NETWORK_BYTES = 7;
    private static final int IPV4_BYTES = 4;
    private static final long PRICE_NANOS = Duration.ofSeconds(1).toNanos() / ANSWERS_A_SECOND;
    /** Of those who have used up theirs, one in so many is told to come by TCP. */
    private static final int TOLD_ONE_IN = 2;

    /** What becomes of an answer. */
    enum Verdict {
        SEND,
        /** Only say that it can be had by TCP. */
        COME_BY_TCP,
        DROP
    }

    private final LongSupplier clock;
    private final long[] paidUntil = new long[COUNTERS];
    private final long first;
    private final long factor;
    private long refused;

    /**
     * Everybody has their whole budget.
     *
     * @param clock in nanoseconds
     */
    ResponseBudget(LongSupplier clock) {
        SecureRandom random = new SecureRandom();
        this.clock = clock;
        this.first = random.nextLong();
        this.factor = random.nextLong() | 1;
    }

    /** What is to be done with an answer to this address. */
    synchronized Verdict take(InetAddress address) {
        int counter = counter(address.getAddress());
        long now = clock.getAsLong() + Long.MAX_VALUE / 2; // never negative, so that a fresh counter lies in the past
        long paid = Math.max(paidUntil[counter], now) + PRICE_NANOS;
        if (paid - now > BURST * PRICE_NANOS) {
            refused++;
            return refused % TOLD_ONE_IN == 0 ? Verdict.COME_BY_TCP : Verdict.DROP;
        }
        paidUntil[counter] = paid;
        return Verdict.SEND;
    }

    private int counter(byte[] address) {
        int network = address.length == IPV4_BYTES ? IPV4_NETWORK_BYTES : IPV6_NETWORK_BYTES;
        long hash = first;
        for (int i = 0; i < network; i++) {
            hash = (hash ^ address[i]) * factor;
            hash ^= hash >>> 29;
        }
        return (int) (hash >>> 17) & (COUNTERS - 1);
    }
}
