package io.boxd.worker;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What is written down of a box and changes by itself.
 *
 * @param reason of its standing, for people
 * @param addresses at which it is reached on the host while it sleeps
 * @param cameFrom the kept snapshot that its present state goes back to
 * @param intent what it is about to become
 * @param ran whether it ran when the host was shut down, and is to run again
 * @param busyUntil until when somebody outside wants it awake
 */
record BoxCondition(
        Standing standing,
        String reason,
        Instant since,
        List<String> addresses,
        Optional<String> cameFrom,
        Optional<Intent> intent,
        boolean ran,
        Optional<Instant> busyUntil) {
    BoxCondition {
        addresses = List.copyOf(addresses);
    }

    static BoxCondition begin(Standing standing, Optional<String> cameFrom, Instant at) {
        return new BoxCondition(standing, "", at, List.of(), cameFrom, Optional.empty(), false, Optional.empty());
    }

    BoxCondition settled(Standing newStanding, String newReason, Instant at) {
        // Without a machine or a memory there is nobody to be reached.
        List<String> reached =
                newStanding == Standing.LIVE || newStanding == Standing.RESTARTING ? addresses : List.of();
        return new BoxCondition(newStanding, newReason, at, reached, cameFrom, intent, ran, busyUntil);
    }

    BoxCondition at(List<String> newAddresses) {
        return new BoxCondition(standing, reason, since, newAddresses, cameFrom, intent, ran, busyUntil);
    }

    BoxCondition from(Optional<String> snapshot) {
        return new BoxCondition(standing, reason, since, addresses, snapshot, intent, ran, busyUntil);
    }

    BoxCondition intending(Optional<Intent> newIntent) {
        return new BoxCondition(standing, reason, since, addresses, cameFrom, newIntent, ran, busyUntil);
    }

    BoxCondition having(boolean hasRun) {
        return new BoxCondition(standing, reason, since, addresses, cameFrom, intent, hasRun, busyUntil);
    }

    BoxCondition busy(Optional<Instant> until) {
        return new BoxCondition(standing, reason, since, addresses, cameFrom, intent, ran, until);
    }
}
