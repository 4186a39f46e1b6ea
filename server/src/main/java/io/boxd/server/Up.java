package io.boxd.server;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.control.ServerFacts;
import io.boxd.guest.image.ImageCatalog;
import io.boxd.linux.Command;
import io.boxd.worker.WorkerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes this host ready and starts the server; once more, it only says where the server is. */
final class Up {
    private static final Path ON_THE_PATH = Path.of("/usr/local/bin/boxd");
    private static final Duration INSTALLING = Duration.ofMinutes(15);
    private static final Duration BUILDING = Duration.ofMinutes(30);
    private static final Duration STARTING = Duration.ofMinutes(15);
    private static final int TAIL_LINES = 15;

    private final ServerConfig config;
    private final InstanceFiles files;
    private final List<String> configuration;

    /** @param configuration the words that say which file was read */
    Up(ServerConfig config, List<String> configuration) {
        this.config = config;
        this.files = new InstanceFiles(config.home());
        this.configuration = configuration;
    }

    void run(boolean install) {
        if (!config.roles().areAll()) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "boxd up starts one process with all roles, and the configuration has roles",
                    "Start each process with its own: boxd serve --roles=control,worker and boxd serve --roles=api.",
                    null);
        }
        Optional<ServerFacts> present = files.running();
        try (LocalServer local = new LocalServer()) {
            if (present.isPresent() && local.ready(present.get()).ready()) {
                shareWithInvoker();
                tell(present.get(), "boxd is running");
                return;
            }
            if (present.isEmpty()) {
                begin(install);
            }
            Optional<ServerFacts> server = awaitReady(local);
            if (server.isEmpty()) {
                begin(install);
                server = awaitReady(local);
            }
            link();
            tell(server.orElseThrow(), "boxd is running");
        }
    }

    private void begin(boolean install) {
        requireRoot();
        programs(install);
        images();
        files.make();
        shareWithInvoker();
        start();
    }

    /** Whoever says {@code sudo boxd up} wants to use boxd afterwards, and as himself; he is the first user. */
    private void shareWithInvoker() {
        boolean first = !files.hasSecret();
        if (first && HostCheck.isRoot()) {
            files.secret();
            var _ = LocalAdministrator.keys(HostUser.behind(System.getenv()), Screen::say);
        }
        String invoker = System.getenv("SUDO_UID");
        if (invoker != null && invoker.matches("[1-9][0-9]{0,8}") && HostCheck.isRoot()) {
            files.share(Integer.parseInt(invoker));
        }
    }

    private static void requireRoot() {
        if (!HostCheck.isRoot()) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED,
                    "the server needs root: it makes namespaces, users and network rules",
                    "sudo boxd up",
                    null);
        }
    }

    private static void programs(boolean install) {
        List<Requirement> missing = HostCheck.missingPrograms();
        if (missing.isEmpty()) {
            return;
        }
        Screen.say("Missing on this machine:");
        for (Requirement requirement : missing) {
            Screen.say("  " + requirement.program() + " (Debian package " + requirement.packageName() + "): "
                    + requirement.reason());
        }
        List<String> packages =
                missing.stream().map(Requirement::packageName).distinct().toList();
        String command = "apt-get install " + String.join(" ", packages);
        if (!install || !Files.isExecutable(Path.of("/usr/bin/apt-get"))) {
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    "programs are missing",
                    "As root: " + command + "; then boxd up again.",
                    null);
        }
        Screen.say("Installing: " + String.join(" ", packages));
        Deadline deadline = Deadline.in(INSTALLING);
        Command.of("apt-get", "-q", "update").withLines(Screen::progress).check(deadline);
        List<String> line = new ArrayList<>(List.of("apt-get", "-q", "-y", "--no-install-recommends", "install"));
        line.addAll(packages);
        Command.of(line)
                .withEnvironment("DEBIAN_FRONTEND", "noninteractive")
                .withLines(Screen::progress)
                .check(deadline);
    }

    private void images() {
        Programs programs = Programs.find();
        ImageCatalog images = WorkerConfig.catalog(InstancePaths.engine(config, programs), programs.agent());
        Deadline deadline = Deadline.in(BUILDING);
        for (String name : Stream.of("tiny", config.image()).distinct().toList()) {
            images.obtain(name, stage -> Screen.progress("image " + name + ": " + stage), deadline);
        }
    }

    private void start() {
        started = true;
        List<String> serve = words("serve");
        if (isUsual() && Systemd.runs()) {
            Screen.progress("starting " + Systemd.SERVER_UNIT);
            List<String> down = new ArrayList<>(Launch.line(words("down")));
            down.add("--boxes");
            Systemd.start(Launch.line(serve), down, Deadline.in(STARTING));
            return;
        }
        Screen.progress("starting the server");
        child = Launch.detached(serve, output());
    }

    /** A private instance beside it leaves alone what a host has only one of. */
    private boolean isUsual() {
        return config.home().toString().equals(Setting.HOME.fallback());
    }

    private boolean started;
    private @Nullable Process child;

    private Path output() {
        return files.log().resolve("server.out");
    }

    private List<String> words(String verb) {
        List<String> words = new ArrayList<>(List.of(verb));
        words.addAll(configuration);
        return words;
    }

    /** Nothing if the server that was there has ended meanwhile, as one does that was killed a moment ago. */
    private Optional<ServerFacts> awaitReady(LocalServer local) {
        Deadline deadline = Deadline.in(STARTING);
        String last = "";
        do {
            Optional<ServerFacts> server = files.running();
            if (server.isPresent()) {
                LocalServer.Answer answer = local.ready(server.get());
                if (answer.ready()) {
                    return server;
                }
                if (!answer.words().equals(last)) {
                    last = answer.words();
                    Screen.progress(last);
                }
            } else if (!started) {
                return Optional.empty();
            } else if (child != null && !child.isAlive() && child.exitValue() != 0) {
                throw new BoxdException(
                        ErrorCode.UNAVAILABLE, "the server has ended: " + tail(), "More is in " + files.log(), null);
            }
        } while (local.pause(deadline));
        throw new BoxdException(
                ErrorCode.TIMEOUT,
                "the server is not ready after " + STARTING.toMinutes() + " minutes: " + last,
                "boxd doctor says what is missing; the log is in " + files.log(),
                null);
    }

    private String tail() {
        try {
            List<String> lines = Files.readAllLines(output());
            return lines.stream().skip(Math.max(0, lines.size() - TAIL_LINES)).collect(Collectors.joining("\n"));
        } catch (IOException e) {
            return "it left no word in " + output();
        }
    }

    /** Puts the command on the PATH, unless something of somebody else is there. */
    private void link() {
        Optional<Path> command = Launch.command();
        if (command.isEmpty() || !isUsual() || !HostCheck.isRoot()) {
            return;
        }
        try {
            boolean ours = Files.isSymbolicLink(ON_THE_PATH)
                    && Objects.requireNonNull(
                                    Files.readSymbolicLink(ON_THE_PATH).getFileName())
                            .toString()
                            .equals("boxd");
            if (ours && Files.readSymbolicLink(ON_THE_PATH).equals(command.get())) {
                return;
            }
            if (Files.exists(ON_THE_PATH, java.nio.file.LinkOption.NOFOLLOW_LINKS) && !ours) {
                Screen.say("There is another " + ON_THE_PATH + ", which was left alone.");
                return;
            }
            Files.deleteIfExists(ON_THE_PATH);
            Files.createSymbolicLink(ON_THE_PATH, command.get());
        } catch (IOException e) {
            Screen.say("The command could not be linked to " + ON_THE_PATH + ": " + e.getMessage());
        }
    }

    private static void tell(ServerFacts server, String what) {
        Screen.say(what + " (process " + server.pid() + ", " + server.accel() + ")");
        Screen.say("  API    " + server.url());
        ServerFacts.Ssh ssh = server.ssh();
        if (ssh != null) {
            Screen.say("  SSH    " + ssh.command("boxd") + " (or the name of a box)");
        }
        Screen.say("  home   " + server.home());
        if (!server.accel().equals("kvm")) {
            Screen.say("  Machines are emulated here: slow, no security boundary. More: boxd doctor");
        }
        Screen.say("Try:");
        Screen.say("  boxd new --name=first");
        Screen.say("  boxd exec first 'uname -a'");
        Screen.say("  boxd fork first --name=second");
    }
}
