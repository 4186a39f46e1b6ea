package io.boxd.guest;

/** What a name in a machine stands for. */
public enum FileType {
    UNKNOWN,
    FILE,
    FOLDER,
    LINK,
    PIPE,
    SOCKET,
    CHARACTER_DEVICE,
    BLOCK_DEVICE;

    static FileType ofWire(int value) throws ProtocolException {
        if (value >= values().length) {
            throw new ProtocolException("no such type of file: " + value);
        }
        return values()[value];
    }
}
