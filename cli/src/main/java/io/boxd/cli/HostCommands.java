package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Set;

/**
 * Verbs about the instance on this machine. The server does them, and this room lies below it: so its class is called
 * by name, where it is on the class path.
 */
final class HostCommands {
    private static final Set<String> NAMES = Set.of("up", "down", "serve", "doctor");
    private static final String SERVER = "io.boxd.server.HostCommands";

    private HostCommands() {}

    /** Hands the line to the server's class if it is for it; does not return before that is done. */
    static boolean take(List<String> line) {
        boolean theirs = !line.isEmpty() && NAMES.contains(line.getFirst());
        if (!theirs || line.contains("--help") || line.contains("-h")) {
            return false;
        }
        try {
            Class.forName(SERVER).getMethod("main", String[].class).invoke(null, (Object) line.toArray(String[]::new));
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new BoxdException(ErrorCode.INTERNAL, SERVER + " cannot be called", e);
        }
    }
}
