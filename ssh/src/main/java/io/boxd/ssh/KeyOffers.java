package io.boxd.ssh;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which of the keys that a client offers it is to sign with.
 *
 * <p>One that belongs to an account is taken at once. One that does not is put off the first time, since the client may
 * have others that do; when it comes a second time, the client has gone through all that it has, and is a stranger by
 * this key. Who somebody is follows from the signature alone, never from an offer.
 */
final class KeyOffers {
    /** What is said to an offer. */
    enum Answer {
        SIGN,
        /** Not this one yet; the client is to go on as if that had brought it nearer, with the same key again, too. */
        ANOTHER_FIRST,
        NO
    }

    private final Predicate<String> known;
    private final Set<String> putOff = new HashSet<>();
    private int offers;

    /** @param known whether a key with this fingerprint belongs to an account */
    KeyOffers(Predicate<String> known) {
        this.known = known;
    }

    Answer answer(String fingerprint) {
        offers++;
        if (offers > SshLimits.KEY_OFFERS) {
            return Answer.NO;
        }
        if (known.test(fingerprint) || putOff.contains(fingerprint)) {
            return Answer.SIGN;
        }
        putOff.add(fingerprint);
        return Answer.ANOTHER_FIRST;
    }
}
