package io.boxd.server;

import io.boxd.accounts.AccountNames;
import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Somebody who has an account on this host. */
record HostUser(String name, int uid, Path home) {
    private static final int ASKING_SECONDS = 10;
    private static final String NOBODY_LOGGED_IN = "4294967295";
    private static final String NAMELESS = "admin";
    private static final String ROOT = "root";

    /**
     * Who is behind this process: who said sudo, else whose terminal this is, else who has logged in, else whose
     * process it is.
     */
    static HostUser behind(Map<String, String> environment) {
        return Optional.ofNullable(environment.get("SUDO_USER"))
                .filter(name -> !name.equals(ROOT))
                .flatMap(HostUser::find)
                .or(() -> terminalOwner().flatMap(HostUser::find))
                .or(() -> loggedIn().flatMap(HostUser::find))
                .or(() -> find(System.getProperty("user.name", ROOT)).map(user -> user.at(environment.get("HOME"))))
                .orElseGet(() -> new HostUser(ROOT, 0, Path.of("/root")));
    }

    /** A process may have been told of another home for itself. */
    private HostUser at(@Nullable String otherHome) {
        return otherHome == null || otherHome.isEmpty() ? this : new HostUser(name, uid, Path.of(otherHome));
    }

    private static Optional<String> terminalOwner() {
        Path input = Path.of("/proc/self/fd/0");
        try {
            Path terminal = input.toRealPath();
            return terminal.startsWith("/dev/pts") || terminal.toString().startsWith("/dev/tty")
                    ? Optional.of(Files.getOwner(terminal).getName()).filter(name -> !name.equals(ROOT))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> loggedIn() {
        try {
            String id = Files.readString(Path.of("/proc/self/loginuid")).strip();
            return id.isEmpty() || id.equals(NOBODY_LOGGED_IN) || id.equals("0") ? Optional.empty() : Optional.of(id);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** By name or number; wherever this host keeps its users. */
    static Optional<HostUser> find(String nameOrNumber) {
        Command.Result result = Command.of("getent", "passwd", nameOrNumber).run(Deadline.inSeconds(ASKING_SECONDS));
        return result.succeeded() ? result.output().lines().findFirst().flatMap(HostUser::parse) : Optional.empty();
    }

    private static Optional<HostUser> parse(String line) {
        List<String> fields = List.of(line.split(":", -1));
        if (fields.size() < 7) {
            return Optional.empty();
        }
        return Optional.of(new HostUser(fields.get(0), Integer.parseInt(fields.get(2)), Path.of(fields.get(5))));
    }

    /** As users are called here. */
    String accountName() {
        return AccountNames.like(name).orElse(NAMELESS);
    }
}
