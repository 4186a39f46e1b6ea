package io.boxd.guest;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What a machine acknowledged of a renewal, and what its clock said when it was done. */
public record RenewalReport(Set<RenewalStep> requested, List<StepResult> steps, Instant machineClock) {
    private static final int NOT_ACKNOWLEDGED = -1;

    public RenewalReport {
        requested = Set.copyOf(requested);
        steps = List.copyOf(steps);
    }

    /** Mandatory steps that failed or were not acknowledged; the machine is usable only if there are none. */
    public List<StepResult> mandatoryFailures() {
        return requested.stream()
                .filter(RenewalStep::mandatory)
                .sorted()
                .flatMap(this::failuresOf)
                .toList();
    }

    private Stream<StepResult> failuresOf(RenewalStep step) {
        List<StepResult> results = steps.stream()
                .filter(result -> result.name().equals(step.wireName()))
                .toList();
        if (results.isEmpty()) {
            return Stream.of(new StepResult(step.wireName(), NOT_ACKNOWLEDGED, "was not acknowledged"));
        }
        return results.stream().filter(result -> !result.succeeded());
    }
}
