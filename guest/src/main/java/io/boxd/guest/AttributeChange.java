package io.boxd.guest;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is to change about a file; null leaves a thing as it is. Immutable; {@code with…} methods return changed
 * copies.
 *
 * @param size cuts a file, or lengthens it by a hole
 */
public record AttributeChange(
        @Nullable Integer mode,
        @Nullable Integer uid,
        @Nullable Integer gid,
        @Nullable Instant accessed,
        @Nullable Instant modified,
        @Nullable Long size) {
    private static final int NOT_GIVEN = -1;

    public static AttributeChange none() {
        return new AttributeChange(null, null, null, null, null, null);
    }

    public AttributeChange withMode(int newMode) {
        return new AttributeChange(newMode, uid, gid, accessed, modified, size);
    }

    public AttributeChange withOwner(int newUid, int newGid) {
        return new AttributeChange(mode, newUid, newGid, accessed, modified, size);
    }

    public AttributeChange withTimes(@Nullable Instant newAccessed, @Nullable Instant newModified) {
        return new AttributeChange(mode, uid, gid, newAccessed, newModified, size);
    }

    public AttributeChange withSize(long newSize) {
        return new AttributeChange(mode, uid, gid, accessed, modified, newSize);
    }

    void encode(PayloadWriter writer) {
        number(writer, mode);
        number(writer, uid);
        number(writer, gid);
        moment(writer, accessed);
        moment(writer, modified);
        writer.u64(size == null ? NOT_GIVEN : size);
    }

    static void number(PayloadWriter writer, @Nullable Integer value) {
        writer.u32(value == null ? NOT_GIVEN : value);
    }

    private static void moment(PayloadWriter writer, @Nullable Instant moment) {
        writer.u64(moment == null ? 0 : moment.getEpochSecond()).u32(moment == null ? NOT_GIVEN : moment.getNano());
    }
}
