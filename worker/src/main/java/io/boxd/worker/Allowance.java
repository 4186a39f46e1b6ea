package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.vmm.MachineSize;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * How much there may be of boxes; counted where they are reserved, so that nobody who comes at the same moment exceeds it.
 *
 * @param owner whose boxes count; empty: all
 * @param whose whose allowance it is, for people
 * @param hint what somebody can do who has reached it
 */
public record Allowance(
        Optional<String> owner, long boxes, long cpus, long memoryBytes, long diskBytes, String whose, String hint) {
    /** As many boxes of any size, whosever they are. */
    public static Allowance ofBoxes(long boxes, String whose, String hint) {
        return new Allowance(Optional.empty(), boxes, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, whose, hint);
    }

    /** Whether the boxes of this owner are counted. */
    boolean counts(String anOwner) {
        return owner.isEmpty() || owner.get().equals(anOwner);
    }

    /** Refuses boxes of these sizes that would be too many, or too large, beside those that are counted. */
    public void require(List<MachineSize> counted, List<MachineSize> more) {
        require(counted.size(), more.size(), boxes, "boxes");
        require(sum(counted, MachineSize::cpus), sum(more, MachineSize::cpus), cpus, "vCPUs");
        require(
                sum(counted, MachineSize::memoryBytes),
                sum(more, MachineSize::memoryBytes),
                memoryBytes,
                "bytes of memory");
        require(sum(counted, MachineSize::diskBytes), sum(more, MachineSize::diskBytes), diskBytes, "bytes of disk");
    }

    private static long sum(List<MachineSize> sizes, ToLongFunction<MachineSize> part) {
        return sizes.stream().mapToLong(part).sum();
    }

    private void require(long used, long wanted, long limit, String what) {
        if (used + wanted > limit) {
            throw new BoxdException(
                    ErrorCode.QUOTA_EXCEEDED,
                    "%d more would be too many: %s allows %d %s, and there are %d"
                            .formatted(wanted, whose, limit, what, used),
                    hint,
                    null);
        }
    }
}
