package io.boxd.control;

import io.boxd.guest.FileAttributes;
import io.boxd.guest.ReadOptions;
import java.io.InputStream;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Files in boxes, with the rights of one of their users; content is passed on, never kept. */
public interface BoxFiles {
    /**
     * Which file, and in whose name.
     *
     * @param path absolute, or relative to the user's home
     * @param user nobody said: the one whose commands are
     */
    record Place(String box, String path, Optional<String> user) {}

    /** How a file is written; nothing said: as the file that it replaces. */
    record Writing(Optional<String> mode, Optional<String> sha256) {}

    /** Content on its way out of a box, which is kept awake until this is closed. */
    interface Download extends AutoCloseable {
        /** Ends early only with an error. */
        InputStream content();

        @Override
        void close();
    }

    /** The content of one file. */
    interface FileContent extends Download {
        /** The file as it was when it was opened; its size may have changed since, or mean nothing at all. */
        FileAttributes attributes();
    }

    /** The content of a regular file; what is returned must be closed. */
    FileContent read(Place place, ReadOptions range);

    /** A folder, or a file, as a tar archive; what is returned must be closed. */
    Download pack(Place place);

    /** Makes all of a stream the content of a file, at once or not at all. */
    ObjectNode write(Place place, Writing writing, InputStream content);

    /** Unpacks a tar archive into a folder. */
    ObjectNode unpack(Place place, InputStream archive);

    /** What a path leads to. */
    ObjectNode stat(Place place);

    /** Permissions as people write them. */
    static String octal(int mode) {
        return "%04o".formatted(mode);
    }
}
