package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.util.Collection;
import java.util.List;

/**
 * How much there may be of what boxes keep while they sleep; counted where it is reserved, so that those who come at
 * the same moment cannot exceed it.
 *
 * @param counted what counts against it
 * @param whose whose allowance it is, for people
 * @param hint what somebody can do who has reached it
 */
public record Allowance(Counted counted, long boxes, long diskBytes, long snapshots, String whose, String hint) {
    private static final long GIB = 1L << 30;

    /** As many boxes of any size, whosever they are. */
    public static Allowance ofBoxes(long boxes, String whose, String hint) {
        return new Allowance(Counted.all(), boxes, Long.MAX_VALUE, Long.MAX_VALUE, whose, hint);
    }

    /** Refuses boxes that would be too many, or too large, beside those that are there. */
    public void requireBoxes(Collection<Claim> present, Collection<Claim> more) {
        List<Claim> beside = present.stream().filter(counted::counts).toList();
        List<Claim> wanted = more.stream().filter(counted::counts).toList();
        if (wanted.isEmpty()) {
            return;
        }
        if (beside.size() + wanted.size() > boxes) {
            throw tooMany(wanted.size(), "boxes", boxes, beside.size());
        }
        requireDisk(disk(beside), disk(wanted));
    }

    /** Refuses to let a box grow. */
    void requireGrowth(Collection<Claim> present, Claim box, long moreBytes) {
        if (counted.counts(box) && moreBytes > 0) {
            requireDisk(disk(present.stream().filter(counted::counts).toList()), moreBytes);
        }
    }

    /**
     * Refuses one more snapshot of a box.
     *
     * @param present the box of each snapshot that is there
     */
    void requireSnapshot(Collection<Claim> present, Claim box) {
        long beside = present.stream().filter(counted::counts).count();
        if (counted.counts(box) && beside >= snapshots) {
            throw tooMany(1, "snapshots", snapshots, beside);
        }
    }

    private static long disk(List<Claim> boxes) {
        return boxes.stream().mapToLong(box -> box.size().diskBytes()).sum();
    }

    private void requireDisk(long used, long wanted) {
        if (used > diskBytes - wanted) {
            throw refused("%s more disk would be too much: %s may have %s, and %s are taken"
                    .formatted(gib(wanted), whose, gib(diskBytes), gib(used)));
        }
    }

    private static String gib(long bytes) {
        return (bytes + GIB - 1) / GIB + " GiB";
    }

    private BoxdException tooMany(long wanted, String what, long limit, long used) {
        return refused("%d more %s would be too many: %s may have %d, and there are %d"
                .formatted(wanted, what, whose, limit, used));
    }

    private BoxdException refused(String message) {
        return new BoxdException(ErrorCode.QUOTA_EXCEEDED, message, hint, null);
    }
}
