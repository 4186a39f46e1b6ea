package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.console.BrokenOutputException;
import io.boxd.console.Console;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Request;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code ssh-config}: tells OpenSSH's client where the doors are, how boxes are called, and who the server is. */
final class SshConfigCommand {
    private static final String HERE = "localhost";
    private static final String OWN_FILE = "rw-------";
    private static final String OWN_FOLDER = "rwx------";
    /** What comes from a server gets into a file that tells what programs are run: nothing else may. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.:_-]{0,252}");

    private static final Pattern KEY = Pattern.compile("[a-z0-9@.-]{1,64} [A-Za-z0-9+/=]{1,8000}");

    private final Servers servers;
    private final Console console;

    SshConfigCommand(Servers servers, Console console) {
        this.servers = servers;
        this.console = console;
    }

    int perform(Request request) throws BrokenOutputException {
        Fields doors = Fields.of(PlainJson.parse(servers.get("/v1/status"))).object("ssh");
        if (!doors.has("port")) {
            throw new BoxdException(
                    ErrorCode.NOT_FOUND,
                    "this server has no door of SSH",
                    "Whoever runs it can open one: ssh_port, BOXD_SSH_PORT.",
                    null);
        }
        Path folder = Contexts.of(console.environment()).folder();
        Path hosts = folder.resolve("ssh_known_hosts");
        Path file = folder.resolve("ssh_config");
        String config = config(doors, hosts);
        String known = "@cert-authority " + checked(NAME, doors.text("alias", "")) + " "
                + checked(KEY, firstTwoWords(doors.text("authority", ""))) + "\n";
        if (request.flag("write")) {
            write(folder, hosts, known);
            write(folder, file, config);
            include(file);
        }
        show(request, config, known, hosts, file);
        return Exits.DONE;
    }

    private void show(Request request, String config, String known, Path hosts, Path file)
            throws BrokenOutputException {
        if (request.json()) {
            Map<String, @Nullable Object> json = new LinkedHashMap<>();
            json.put("config", config);
            json.put("known_hosts", known);
            json.put("written", request.flag("write"));
            console.print(PlainJson.write(json) + "\n");
        } else if (request.flag("write")) {
            console.print("Try: ssh boxd list. Say this again when there are new boxes.\n");
        } else {
            console.print("# " + file + "\n" + config + "\n# " + hosts + "\n" + known);
        }
    }

    private static String firstTwoWords(String line) {
        String[] words = line.split(" ", -1);
        return words.length < 2 ? line : words[0] + " " + words[1];
    }

    private static String checked(Pattern pattern, String text) {
        if (!pattern.matcher(text).matches()) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the server says of its SSH doors what cannot be right");
        }
        return text;
    }

    private String config(Fields doors, Path hosts) {
        List<String> lines = new ArrayList<>(List.of("Host boxd", "    User boxd"));
        for (Fields box : Fields.each(PlainJson.parse(servers.get("/v1/boxes?all=true")))) {
            String name = checked(NAME, box.text("name", ""));
            lines.addAll(List.of("Host " + name + ".boxd", "    User " + name));
        }
        lines.add("Host boxd *.boxd");
        lines.add("    HostName " + host(doors));
        lines.add("    Port " + doors.number("port", 0));
        lines.add("    HostKeyAlias " + checked(NAME, doors.text("alias", "")));
        lines.add("    UserKnownHostsFile \"" + hosts + "\"");
        lines.add("    StrictHostKeyChecking yes");
        return String.join("\n", lines) + "\n";
    }

    /** A server that calls itself localhost is at that address from which it was asked. */
    private String host(Fields doors) {
        String host = checked(NAME, doors.text("host", ""));
        ServerAddress address = servers.address();
        return host.equals(HERE) && !address.isHere() ? address.url().host() : host;
    }

    private static void write(Path folder, Path file, String text) {
        try {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(OWN_FOLDER)));
            replace(file, text);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot write " + file + ": " + e.getMessage(), e);
        }
    }

    private static void replace(Path file, String text) throws IOException {
        Path fresh = Files.createTempFile(
                file.toAbsolutePath().getParent(),
                ".boxd",
                ".new",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(OWN_FILE)));
        try {
            Files.write(fresh, text.getBytes(StandardCharsets.UTF_8));
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    /** Above all else that is there, since the first word about a host is the one that counts. */
    private void include(Path file) {
        Path folder = Path.of(console.environment().getOrDefault("HOME", "/")).resolve(".ssh");
        Path config = folder.resolve("config");
        String line = "Include \"" + file + "\"";
        try {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(OWN_FOLDER)));
            // A link leads to where its owner keeps the file.
            Path real = Files.exists(config) ? config.toRealPath() : config;
            String before = Files.exists(real) ? Files.readString(real) : "";
            if (before.lines().noneMatch(line::equals)) {
                replace(real, line + "\n\n" + before);
            }
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot write " + config + ": " + e.getMessage(), e);
        }
    }
}
