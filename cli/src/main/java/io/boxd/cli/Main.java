package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.console.BrokenOutputException;
import io.boxd.console.Console;
import io.boxd.verbs.CommandLine;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Help;
import io.boxd.verbs.Request;
import io.boxd.verbs.Said;
import io.boxd.verbs.Verb;
import io.boxd.verbs.Verbs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The {@code boxd} command. */
public final class Main {
    private static final String PROGRAM = "boxd";
    private static final int SIGPIPE = 13;
    private static final int MOST_FILE_BYTES = 1 << 20;

    private final Console console;

    Main(Console console) {
        this.console = console;
    }

    public static void main(String[] words) {
        int status = new Main(Consoles.ofProcess()).run(List.of(words));
        // Threads that wait for input cannot be ended in another way, and there is nothing left to tidy. An exit in
        // order would first get Java's logging ready, to note that there was one.
        Runtime.getRuntime().halt(status);
    }

    /** Does what the line says, and gives the status to end with. */
    int run(List<String> line) {
        boolean json = line.contains("--json");
        Said said;
        try {
            said = new CommandLine(Verbs.withDoors(), Main::file).parse(line);
        } catch (BoxdException e) {
            console.fail(e, json);
            return Exits.of(e.code());
        }
        try {
            return switch (said) {
                case Said.Help help -> help(help);
                case Said.Do what -> perform(what.request());
            };
        } catch (BrokenOutputException e) {
            return Exits.SIGNALLED + SIGPIPE;
        }
    }

    private static String file(String path) {
        try {
            if (Files.size(Path.of(path)) > MOST_FILE_BYTES) {
                throw new BoxdException(ErrorCode.INVALID_ARGUMENT, path + " is larger than 1 MiB");
            }
            return Files.readString(Path.of(path), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "cannot read " + path, e);
        }
    }

    private int help(Said.Help help) throws BrokenOutputException {
        String family = help.family();
        if (family != null) {
            console.print(Help.family(family, help.verbs(), PROGRAM));
        } else {
            console.print(
                    help.verbs().isEmpty()
                            ? Help.overview(Verbs.withDoors(), PROGRAM)
                            : Help.of(help.verbs().getFirst(), PROGRAM));
        }
        return Exits.DONE;
    }

    private int perform(Request request) throws BrokenOutputException {
        try {
            ServerFinder finder = new ServerFinder(console.environment(), request.context());
            return new Deeds(new Servers(finder::find), console).perform(request);
        } catch (BoxdException e) {
            console.fail(e, request.json());
            return runsCommand(request.verb()) ? Exits.NOT_RUN : Exits.of(e.code());
        }
    }

    /** Whose status is the command's own, so that ours must differ. */
    private static boolean runsCommand(Verb verb) {
        return List.of("exec", "connect", "attach").contains(verb.name());
    }
}
