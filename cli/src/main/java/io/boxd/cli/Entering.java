package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.console.Console;
import io.boxd.console.Waiting;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Harmless;
import io.boxd.verbs.Request;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Comes in to a server without a token: by an invitation, or by logging in with a browser where the server says. */
final class Entering {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String LOGIN = "/v1/login";
    private static final int LONGEST_LINE = 300;

    private final Console console;
    private final Servers servers;

    Entering(Console console, Servers servers) {
        this.console = console;
        this.servers = servers;
    }

    /** The token for whoever has this invitation. */
    String follow(String invitation, Request request) {
        String user = request.text("user");
        if (user == null) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "an invitation needs the name that you want to have",
                    "Say --user NAME.",
                    null);
        }
        Map<String, @Nullable Object> said = new LinkedHashMap<>();
        said.put("invitation", invitation);
        said.put("name", user);
        String key = request.text("key");
        if (key != null) {
            said.put("key", content(key));
        }
        return token(ask("POST", "/v1/enter", PlainJson.write(said)));
    }

    private static String content(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.NOT_FOUND, "cannot read the key " + file + ": " + e.getMessage(), e);
        }
    }

    /** The token for whoever logs in elsewhere; nothing if this server sends nobody there. */
    Optional<String> elsewhere() {
        if (!isElsewhere()) {
            return Optional.empty();
        }
        Fields begun = ask("POST", LOGIN, "{}");
        console.tell("Open " + shown(begun, "complete_address") + " in a browser.");
        console.tell("If it asks for a code: " + shown(begun, "user_code"));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(begun.number("expires_in_s", 0));
        try (Waiting _ = Waiting.on(console, "waiting for the browser")) {
            while (true) {
                pause(Math.max(1, begun.number("interval_s", 1)));
                Fields progress = ask("POST", LOGIN + "/" + begun.text("handle"), "{}");
                if (progress.flag("done")) {
                    return Optional.of(token(progress));
                }
                if (System.nanoTime() > end) {
                    throw new BoxdException(ErrorCode.TIMEOUT, "nobody logged in in time", "Log in again.", null);
                }
            }
        }
    }

    private boolean isElsewhere() {
        try {
            return ask("GET", LOGIN, null).flag("elsewhere");
        } catch (BoxdException e) {
            // A server that is older than this has no such question.
            if (e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.UNAUTHENTICATED) {
                return false;
            }
            throw e;
        }
    }

    /** What a server says is shown on a terminal. */
    private static String shown(Fields fields, String field) {
        return Harmless.cut(String.valueOf(fields.text(field)), LONGEST_LINE);
    }

    /** As often as the issuer likes to be asked. */
    private static void pause(long seconds) {
        try {
            TimeUnit.SECONDS.sleep(seconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the login was given up", e);
        }
    }

    private static String token(Fields answer) {
        String token = answer.text("token");
        if (token == null || token.isEmpty()) {
            throw new BoxdException(ErrorCode.UNAVAILABLE, "the server gave no token");
        }
        return token;
    }

    private Fields ask(String method, String target, @Nullable String body) {
        byte[] content = body == null ? null : body.getBytes(StandardCharsets.UTF_8);
        return Fields.of(PlainJson.parse(servers.talk(PATIENCE, connection -> {
            connection.sendWithoutToken(method, target, content);
            return connection.text(connection.receive());
        })));
    }
}
