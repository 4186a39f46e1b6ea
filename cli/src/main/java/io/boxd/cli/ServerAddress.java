package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.verbs.Fields;
import java.io.IOException;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a server is, and what it lets us in with.
 *
 * @param source where that was read, for messages
 */
record ServerAddress(String host, int port, String token, String source) {
    private static final String DEFAULT_HOME = "/var/lib/boxd";
    private static final int MOST_TOKEN_BYTES = 4096;

    /** As the environment says, else of the instance on this machine; asked anew before each connection. */
    static ServerAddress find(Map<String, String> environment) {
        String url = environment.get("BOXD_URL");
        String token = environment.get("BOXD_TOKEN");
        if (url != null && !url.isEmpty()) {
            if (token == null || token.isEmpty()) {
                throw new BoxdException(
                        ErrorCode.UNAUTHENTICATED,
                        "BOXD_URL is set, but BOXD_TOKEN is not",
                        "Set BOXD_TOKEN to a token of that server, or unset BOXD_URL.",
                        null);
            }
            return of(url, token, "BOXD_URL");
        }
        String home = environment.get("BOXD_HOME");
        return ofHome(Path.of(home == null || home.isEmpty() ? DEFAULT_HOME : home), token);
    }

    private static ServerAddress ofHome(Path home, @Nullable String given) {
        Path file = home.resolve("server.json");
        String url = Fields.of(PlainJson.parse(read(file, home))).text("url");
        if (url == null) {
            throw new BoxdException(ErrorCode.INTERNAL, file + " does not say where the server is");
        }
        return of(
                url,
                given == null || given.isEmpty()
                        ? read(home.resolve("token"), home).strip()
                        : given,
                home.toString());
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

    static BoxdException notRunning(String where, @Nullable Throwable cause) {
        boolean usual = where.equals(DEFAULT_HOME);
        return new BoxdException(
                ErrorCode.UNAVAILABLE,
                "boxd is not running here" + (usual ? "" : " (" + where + ")"),
                "Start it with `sudo boxd up`.",
                cause);
    }

    private static ServerAddress of(String url, String token, String source) {
        URI address;
        try {
            address = URI.create(url);
        } catch (IllegalArgumentException e) {
            throw unusable(url, source);
        }
        String host = address.getHost();
        boolean plain = "http".equals(address.getScheme());
        boolean bare = address.getRawPath() == null || address.getRawPath().length() <= 1;
        if (host == null || !plain || !bare || address.getRawQuery() != null) {
            throw unusable(url, source);
        }
        if (!token.matches("[!-~]{1,512}")) {
            throw new BoxdException(ErrorCode.UNAUTHENTICATED, "the token has characters that no token has");
        }
        String bracketless = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return new ServerAddress(bracketless, address.getPort() < 0 ? 80 : address.getPort(), token, source);
    }

    private static BoxdException unusable(String url, String source) {
        return new BoxdException(
                ErrorCode.INVALID_ARGUMENT, source + " says " + url + ": a server is given as http://HOST:PORT");
    }

    /** For the Host header. */
    String authority() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    /** The token stays out of messages. */
    @Override
    public String toString() {
        return "http://" + authority();
    }
}
