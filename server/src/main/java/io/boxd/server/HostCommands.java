package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.CommandLine;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Help;
import io.boxd.verbs.Request;
import io.boxd.verbs.Said;
import io.boxd.verbs.Verbs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What {@code boxd} does on the host itself: up, down, serve, doctor, pass, state. */
public final class HostCommands {
    private static final String PROGRAM = "boxd";
    private static final Duration A_WHILE = Duration.ofHours(1);

    private HostCommands() {}

    /** Does what the words say and ends the process with the status that tells how it went. */
    public static void main(String[] words) {
        System.exit(run(List.of(words)));
    }

    static int run(List<String> words) {
        boolean json = words.contains("--json");
        try {
            Said said = new CommandLine(Verbs.withDoors(), HostCommands::noFile).parse(words);
            return switch (said) {
                case Said.Help help -> {
                    Screen.say(
                            help.verbs().isEmpty()
                                    ? Help.overview(Verbs.withDoors(), PROGRAM)
                                    : Help.of(help.verbs().getFirst(), PROGRAM));
                    yield Exits.DONE;
                }
                case Said.Do what -> perform(what.request());
            };
        } catch (BoxdException e) {
            Screen.fail(e, json);
            return Exits.of(e.code());
        }
    }

    private static String noFile(String path) {
        throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "no file is read here: " + path);
    }

    private static int perform(Request request) {
        Optional<String> file = Optional.ofNullable(request.text("config"));
        ServerConfig config = Configuration.read(file.map(path -> Path.of(path).toAbsolutePath()), said(request));
        switch (request.verb().name()) {
            case "up" ->
                new Up(
                                config,
                                file.map(path -> List.of(
                                                "--config",
                                                Path.of(path).toAbsolutePath().toString()))
                                        .orElse(List.of()))
                        .run(!request.flag("no_install"));
            case "down" -> new Down(config).run(request.flag("boxes"));
            case "serve" -> serve(config);
            case "doctor" -> {
                return new Doctor(config).run(request.json()) ? Exits.DONE : Exits.of(ErrorCode.UNAVAILABLE);
            }
            case "pass" -> new PassCommand(config).run(request);
            case "state backup" -> new StateCommands(config).backup(request);
            case "state restore" -> new StateCommands(config).restore(request);
            default ->
                throw new BoxdException(
                        ErrorCode.INVALID_ARGUMENT, request.verb().name() + " is not done on the host");
        }
        return Exits.DONE;
    }

    /** The environment, over which the words of the command count. */
    private static Map<String, String> said(Request request) {
        Map<String, String> environment = new HashMap<>(System.getenv());
        if (request.verb().name().equals("serve")) {
            Optional.ofNullable(request.text("roles"))
                    .ifPresent(roles -> environment.put(Setting.ROLES.variable(), roles));
            Optional.ofNullable(request.text("pass"))
                    .ifPresent(pass -> environment.put(
                            Setting.PASS.variable(),
                            Path.of(pass).toAbsolutePath().toString()));
        }
        return environment;
    }

    private static void serve(ServerConfig config) {
        Serving serving = config.roles().has(Role.CONTROL) ? server(config) : Doors.open(config);
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().name("end").unstarted(serving::close));
        try {
            while (!serving.awaitEnd(A_WHILE)) {
                // Ended by a signal only.
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            serving.close();
        }
    }

    private static Server server(ServerConfig config) {
        if (!HostCheck.isRoot()) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED,
                    "the server needs root: it makes namespaces, users and network rules",
                    "sudo boxd serve",
                    null);
        }
        List<Requirement> missing = HostCheck.missingPrograms();
        if (!missing.isEmpty()) {
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    "missing: "
                            + String.join(
                                    ", ",
                                    missing.stream().map(Requirement::program).toList()),
                    "boxd up installs what is missing; boxd doctor says more.",
                    null);
        }
        return Server.open(config, new HostRooms(config, Programs.find()));
    }
}
