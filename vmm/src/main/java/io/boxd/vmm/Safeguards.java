package io.boxd.vmm;

import io.boxd.guest.RenewalStep;
import java.util.EnumSet;
import java.util.Set;

/**
 * Protections that tests leave out one by one, to show that they are needed.
 *
 * @param renewalSteps what a machine must renew before it is handed out
 * @param checksContent whether files are compared with their hashes
 * @param keepsRoom whether what would not fit is refused beforehand
 */
record Safeguards(Set<RenewalStep> renewalSteps, boolean checksContent, boolean keepsRoom) {
    Safeguards {
        renewalSteps = Set.copyOf(renewalSteps);
    }

    static Safeguards all() {
        return new Safeguards(EnumSet.allOf(RenewalStep.class), true, true);
    }
}
