package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.verbs.Fields;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the server that is meant: that of the environment, else of the context, else the one on this machine. Looks
 * anew each time: a server may have been started again meanwhile.
 */
final class ServerFinder {
    private static final String DEFAULT_HOME = "/var/lib/boxd";
    private static final int MOST_TOKEN_BYTES = 4096;
    private static final int MOST_CERTIFICATE_BYTES = 1 << 20;

    private final Map<String, String> environment;
    private final @Nullable String chosen;
    private final Contexts contexts;

    /** @param chosen the context that the line names, if it does */
    ServerFinder(Map<String, String> environment, @Nullable String chosen) {
        this.environment = Map.copyOf(environment);
        this.chosen = chosen;
        this.contexts = Contexts.of(environment);
    }

    ServerAddress find() {
        String url = set("BOXD_URL");
        if (url != null) {
            if (chosen != null) {
                throw new BoxdException(
                        ErrorCode.INVALID_ARGUMENT,
                        "BOXD_URL and --context both say which server",
                        "Unset BOXD_URL, or leave --context out.",
                        null);
            }
            return ofEnvironment(url);
        }
        // An instance that the environment names is closer than what was in use some day.
        boolean home = chosen == null && set("BOXD_HOME") != null;
        Context context = home ? null : contexts.load().find(chosen);
        return context == null ? ofHome() : ofContext(context);
    }

    private @Nullable String set(String name) {
        String value = environment.get(name);
        return value == null || value.isEmpty() ? null : value;
    }

    private ServerAddress ofEnvironment(String url) {
        String token = set("BOXD_TOKEN");
        if (token == null) {
            throw new BoxdException(
                    ErrorCode.UNAUTHENTICATED,
                    "BOXD_URL is set, but BOXD_TOKEN is not",
                    "Set BOXD_TOKEN to a token of that server, or unset BOXD_URL.",
                    null);
        }
        return new ServerAddress(
                ServerUrl.of(url, "BOXD_URL"), token, authorities(null), ServerAddress.Reach.LOOPBACK, "BOXD_URL");
    }

    private ServerAddress ofContext(Context context) {
        String given = set("BOXD_TOKEN");
        String token = given == null ? context.token() : given;
        if (token == null) {
            throw new BoxdException(
                    ErrorCode.UNAUTHENTICATED,
                    "you are logged out of " + context.name(),
                    "boxd login " + context.url() + " --name " + context.name(),
                    null);
        }
        String source = "context " + context.name();
        return new ServerAddress(
                ServerUrl.of(context.url(), source),
                token,
                authorities(context.authorities()),
                context.insecureHttp() ? ServerAddress.Reach.ANYWHERE : ServerAddress.Reach.LOOPBACK,
                source);
    }

    private ServerAddress ofHome() {
        String given = set("BOXD_TOKEN");
        Path home = home(environment);
        ServerUrl url = ServerUrl.of(url(home), home.toString());
        return new ServerAddress(
                url,
                given == null ? read(home.resolve("token"), home).strip() : given,
                authorities(null),
                ServerAddress.Reach.THIS_MACHINE,
                home.toString());
    }

    private static Path home(Map<String, String> environment) {
        String home = environment.getOrDefault("BOXD_HOME", "");
        return Path.of(home.isEmpty() ? DEFAULT_HOME : home);
    }

    private static String url(Path home) {
        Path file = home.resolve("server.json");
        String url = Fields.of(PlainJson.parse(read(file, home))).text("url");
        if (url == null) {
            throw new BoxdException(ErrorCode.INTERNAL, file + " does not say where the server is");
        }
        return url;
    }

    /** Where the server of this machine is, if there is one. */
    static @Nullable String localUrl(Map<String, String> environment) {
        try {
            return url(home(environment));
        } catch (BoxdException e) {
            return null;
        }
    }

    private @Nullable String authorities(@Nullable String kept) {
        String file = set("BOXD_CA");
        if (file == null) {
            return kept;
        }
        try {
            Path path = Path.of(file);
            if (Files.size(path) > MOST_CERTIFICATE_BYTES) {
                throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "BOXD_CA says " + file + ", larger than 1 MiB");
            }
            return Files.readString(path);
        } catch (IOException | InvalidPathException e) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "BOXD_CA says " + file + ", which cannot be read", e);
        }
    }

    private static String read(Path file, Path home) {
        try {
            if (Files.size(file) > MOST_TOKEN_BYTES) {
                throw new BoxdException(ErrorCode.INTERNAL, file + " is too large to be ours");
            }
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw notRunning(home.toString(), null);
        } catch (AccessDeniedException e) {
            throw new BoxdException(
                    ErrorCode.PERMISSION_DENIED,
                    "you may not read " + file,
                    "Run the command with sudo, or set BOXD_TOKEN to a token of this server.",
                    null);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    /** There is no server on this machine. */
    static BoxdException notRunning(String where, @Nullable Throwable cause) {
        boolean usual = where.equals(DEFAULT_HOME);
        return new BoxdException(
                ErrorCode.UNAVAILABLE,
                "boxd is not running here" + (usual ? "" : " (" + where + ")"),
                "Start it with `sudo boxd up`, or use one elsewhere: boxd login URL",
                cause);
    }
}
