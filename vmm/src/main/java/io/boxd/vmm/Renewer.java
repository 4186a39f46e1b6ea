package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.Renewal;
import io.boxd.guest.RenewalReport;
import io.boxd.guest.RenewalStep;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** Has a machine renew what it must not share with the one it was made from, and refuses it otherwise. */
final class Renewer {
    /** A busy emulated guest may read the time late; then it is told once more, now that it is awake. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofMillis(200);

    private final Set<RenewalStep> steps;

    Renewer(Set<RenewalStep> steps) {
        this.steps = Set.copyOf(steps);
    }

    /** Returns when every mandatory step is acknowledged; throws if one is not. */
    void renew(AgentConnection agent, Identity identity, Deadline deadline) {
        Renewal renewal = new Renewal(
                steps,
                identity.hostname(),
                identity.machineId(),
                UUID.fromString(identity.bootId()),
                identity.generation());
        RenewalReport report = agent.renew(renewal, deadline);
        refuseFailures(report);
        Duration late = Duration.between(report.machineClock(), Instant.now()).abs();
        if (late.compareTo(CLOCK_TOLERANCE) > 0) {
            refuseFailures(agent.renew(Renewal.clockOnly(), deadline));
        }
    }

    /**
     * Puts the clock of a machine that has just gone on right, without waiting for the answer.
     *
     * <p>A machine whose agent does not answer any more shows that at the next command.
     */
    void startClock(AgentConnection agent) {
        agent.startRenewal(Renewal.clockOnly(), Deadline.inSeconds(1));
    }

    private static void refuseFailures(RenewalReport report) {
        if (!report.mandatoryFailures().isEmpty()) {
            String failed = report.mandatoryFailures().stream()
                    .map(step -> step.name() + " (" + step.message() + ")")
                    .collect(Collectors.joining(", "));
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE, "the machine did not renew its identity: " + Printable.of(failed));
        }
    }
}
