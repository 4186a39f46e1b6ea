package io.boxd.guest;

/** One name in a folder of a machine, and what it stands for; links are not followed. */
public record FolderEntry(GuestBytes name, FileAttributes attributes) {
    static FolderEntry parse(PayloadReader reader) throws ProtocolException {
        GuestBytes name = reader.string(Wire.MAX_FILE_NAME_BYTES);
        if (name.isEmpty()
                || name.contains('/')
                || name.contains(0)
                || name.equals(GuestBytes.of("."))
                || name.equals(GuestBytes.of(".."))) {
            throw new ProtocolException("no file can have such a name");
        }
        return new FolderEntry(name, FileAttributes.parse(reader));
    }
}
