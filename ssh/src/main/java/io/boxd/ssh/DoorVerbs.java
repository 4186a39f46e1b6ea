package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.CommandLine;
import io.boxd.verbs.Request;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/** What can be said at the control door: what the server answers, and what a door adds where there is no machine. */
final class DoorVerbs {
    private static final Set<String> OF_DOOR = Set.of("connect", "cp");
    private static final String INPUT = "-";
    private static final int MOST_FILE_BYTES = 1 << 20;

    static final List<Verb> ALL = Verbs.withDoors().stream()
            .filter(verb -> Verbs.all().contains(verb) || OF_DOOR.contains(verb.name()))
            .toList();

    private DoorVerbs() {}

    /** Where streams come from, asked for only if a file is to be read. */
    interface Input {
        InputStream open() throws IOException;
    }

    /** Understands lines; files are what the client sends. */
    static CommandLine lines(Input input) {
        return new CommandLine(ALL, path -> content(path, input));
    }

    private static String content(String path, Input input) {
        if (!path.equals(INPUT)) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "files of your machine cannot be read from here",
                    "Say - instead, and send it as the input: ssh … < FILE.",
                    null);
        }
        try {
            byte[] bytes = input.open().readNBytes(MOST_FILE_BYTES + 1);
            if (bytes.length > MOST_FILE_BYTES) {
                throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "the input is larger than 1 MiB");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the input broke off", e);
        }
    }

    /** Throws for what means something at other doors only. */
    static void check(Request request) {
        if (request.context() != null) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "--context is for the command on your machine",
                    "Here it is always this server.",
                    null);
        }
    }
}
