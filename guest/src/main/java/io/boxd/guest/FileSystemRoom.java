package io.boxd.guest;

/**
 * How much a machine's file system holds and can still take.
 *
 * @param availableBlocks what users other than root can still take
 */
public record FileSystemRoom(
        long blockBytes,
        long blocks,
        long freeBlocks,
        long availableBlocks,
        long files,
        long freeFiles,
        long longestName,
        boolean readOnly) {
    static FileSystemRoom parse(PayloadReader reader) throws ProtocolException {
        return new FileSystemRoom(
                reader.count(),
                reader.s64(),
                reader.s64(),
                reader.s64(),
                reader.s64(),
                reader.s64(),
                reader.s64(),
                reader.flag());
    }
}
