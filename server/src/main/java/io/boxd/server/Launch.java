package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How this program is started once more, as a server in the background. */
final class Launch {
    /** The command that people type, when whoever started this program knows it. */
    private static final String COMMAND = "boxd.command";

    private Launch() {}

    static Optional<Path> command() {
        return Optional.ofNullable(System.getProperty(COMMAND)).map(Path::of);
    }

    /** The command line of {@code boxd} with these words. */
    static List<String> line(List<String> words) {
        List<String> line = new ArrayList<>();
        Optional<Path> command = command();
        if (command.isPresent()) {
            line.add(command.get().toString());
        } else {
            line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            line.addAll(List.of(
                    "-Xmx768m",
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "-cp",
                    absolute(System.getProperty("java.class.path"))));
            Optional.ofNullable(System.getProperty("boxd.programs"))
                    .ifPresent(folder -> line.add("-Dboxd.programs=" + folder));
            line.add(HostCommands.class.getName());
        }
        line.addAll(words);
        return line;
    }

    private static String absolute(String classPath) {
        return Stream.of(classPath.split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Starts it in a session of its own, so that it outlives the terminal; what it prints goes into the file. */
    static Process detached(List<String> words, Path output) {
        List<String> line = new ArrayList<>(List.of("setsid", "--"));
        line.addAll(line(words));
        try {
            return new ProcessBuilder(line)
                    .redirectInput(new File("/dev/null"))
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
        } catch (IOException e) {
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE, "cannot start the server", "Is util-linux (setsid) installed?", e);
        }
    }
}
