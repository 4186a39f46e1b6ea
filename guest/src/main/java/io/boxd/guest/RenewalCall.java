package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A renewal under way: its steps are collected until the machine says that it is done. */
final class RenewalCall implements Conversation {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final Renewal renewal;
    private final List<StepResult> steps = new ArrayList<>();
    private final Reply<RenewalReport> reply = new Reply<>();

    RenewalCall(Renewal renewal) {
        this.renewal = renewal;
    }

    @Override
    public boolean accept(AgentMessage message) throws ProtocolException {
        return switch (message) {
            case AgentMessage.Step(StepResult result) -> {
                if (steps.size() == Wire.MAX_STEPS) {
                    throw new ProtocolException("a renewal has too many steps");
                }
                steps.add(result);
                yield false;
            }
            case AgentMessage.RenewDone(long nanos) -> {
                Instant clock = Instant.ofEpochSecond(
                        Math.floorDiv(nanos, NANOS_PER_SECOND), Math.floorMod(nanos, NANOS_PER_SECOND));
                reply.complete(new RenewalReport(renewal.steps(), steps, clock));
                yield true;
            }
            case AgentMessage.Refused refused -> {
                reply.fail(Refusals.toException(refused));
                yield true;
            }
            default -> throw new ProtocolException("an answer does not fit");
        };
    }

    @Override
    public void gone(BoxdException reason) {
        reply.fail(reason);
    }

    Renewal renewal() {
        return renewal;
    }

    RenewalReport await(Deadline deadline) {
        return reply.await(deadline, "renewing the machine");
    }
}
