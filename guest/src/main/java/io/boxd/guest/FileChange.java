package io.boxd.guest;

/**
 * Something that has happened to a watched file or folder.
 *
 * @param path below what is watched; empty for itself
 * @param cookie the same for both halves of a move, else 0
 */
public record FileChange(Kind kind, boolean folder, long cookie, GuestBytes path) {
    /** What has happened. */
    public enum Kind {
        CREATED,
        MODIFIED,
        /** Closed by somebody who had written to it. */
        WRITTEN,
        ATTRIBUTES,
        DELETED,
        MOVED_FROM,
        MOVED_TO,
        /** More has happened than could be told: look for yourself. */
        OVERFLOW
    }

    static FileChange parse(PayloadReader reader) throws ProtocolException {
        int kind = reader.u8();
        if (kind < 1 || kind > Kind.values().length) {
            throw new ProtocolException("no such change: " + kind);
        }
        boolean folder = reader.flag();
        long cookie = reader.u32();
        return new FileChange(Kind.values()[kind - 1], folder, cookie, reader.string(Wire.MAX_PATH_BYTES));
    }
}
