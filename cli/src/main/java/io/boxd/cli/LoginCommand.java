package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.console.Console;
import io.boxd.console.Waiting;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Request;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code login}: asks the server whether URL and token are right, and keeps them only if it says so. */
final class LoginCommand {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MOST_TOKEN_BYTES = 4096;

    /** Stands for a token where none is sent. */
    private static final String NOBODY = "nobody";

    private final Console console;
    private final Contexts contexts;

    LoginCommand(Console console) {
        this.console = console;
        this.contexts = Contexts.of(console.environment());
    }

    /** The context that there is now, and what the server said of itself. */
    record LoggedIn(Context context, Fields server) {}

    LoggedIn login(Request request) {
        ServerUrl url = ServerUrl.of(String.valueOf(request.text("url")), "the line");
        String authorities = request.text("ca");
        if (authorities != null) {
            requireUse(url.secure(), "--ca is for https:// only");
            ServerTrust.requireCertificates(authorities);
        }
        boolean insecure = request.flag("insecure_http");
        requireUse(!insecure || !url.secure(), "--insecure-http is for http:// only");
        String name = name(request.text("name"), url);
        requireFree(contexts.load(), name, url);
        ServerAddress.Reach reach = insecure ? ServerAddress.Reach.ANYWHERE : ServerAddress.Reach.LOOPBACK;
        String token = token(request, new ServerAddress(url, NOBODY, authorities, reach, "the line"));
        Context context = new Context(name, url.toString(), token, authorities, insecure);
        Fields server;
        try (Waiting _ = Waiting.on(console, "login " + url)) {
            server = verify(new ServerAddress(url, token, authorities, reach, "the line"));
        }
        contexts.change(known -> {
            requireFree(known, name, url);
            return known.with(context).using(name);
        });
        return new LoggedIn(context, server);
    }

    private static void requireUse(boolean holds, String message) {
        if (!holds) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, message);
        }
    }

    private static String name(@Nullable String said, ServerUrl url) {
        String name = said == null ? Context.nameFor(url) : said;
        if (!Context.isName(name)) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "'" + name + "' cannot be the name of a context",
                    "Say --name with small letters, digits, dots and hyphens; local is taken.",
                    null);
        }
        return name;
    }

    /** Nobody loses one server by logging in to another. */
    private static void requireFree(KnownContexts known, String name, ServerUrl url) {
        Context before = known.contexts().get(name);
        if (before != null && !before.url().equals(url.toString())) {
            throw new BoxdException(
                    ErrorCode.ALREADY_EXISTS,
                    "the context " + name + " is for " + before.url(),
                    "Say --name to keep both, or first: boxd context rm " + name,
                    null);
        }
    }

    /** By the way that was said; else where the server sends people, or else from whoever types it. */
    private String token(Request request, ServerAddress nobody) {
        ServerUrl url = nobody.url();
        Entering entering = new Entering(console, new Servers(() -> nobody));
        String invitation = request.text("invitation");
        if (invitation != null) {
            requireBoxd(nobody);
            return entering.follow(invitation, request);
        }
        String read = request.text("token_file");
        if (read == null && !request.flag("token_stdin")) {
            requireBoxd(nobody);
            Optional<String> token = entering.elsewhere();
            if (token.isPresent()) {
                return token.get();
            }
        }
        try {
            if (request.flag("token_stdin")) {
                read = new String(limited(console.input().readNBytes(MOST_TOKEN_BYTES + 1)), StandardCharsets.UTF_8);
            } else if (read == null && console.isInputTerminal()) {
                console.tellRaw("Token for " + url + ": ");
                read = new Terminal().readUnseen(console.input(), MOST_TOKEN_BYTES);
                console.tellRaw("\n");
            }
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INVALID_ARGUMENT, "cannot read the token: " + e.getMessage(), e);
        }
        if (read == null || read.isBlank()) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "there is no token",
                    "Say --token-stdin, --token-file FILE or --invitation CODE, or type it at a terminal.",
                    null);
        }
        return read.strip();
    }

    private static byte[] limited(byte[] bytes) throws IOException {
        if (bytes.length > MOST_TOKEN_BYTES) {
            throw new IOException("no token is as long as that");
        }
        return bytes;
    }

    /** Who does not speak as a boxd does is not given the token. */
    private static Fields verify(ServerAddress address) {
        requireBoxd(address);
        return Fields.of(PlainJson.parse(new Servers(() -> address).get("/v1/status", PATIENCE)));
    }

    private static void requireBoxd(ServerAddress address) {
        boolean alive = new Servers(() -> address).talk(PATIENCE, connection -> {
            connection.sendWithoutToken("GET", "/healthz", null);
            return isAlive(connection);
        });
        if (!alive) {
            throw new BoxdException(
                    ErrorCode.UNAVAILABLE,
                    "what answers at " + address + " is no boxd server",
                    "Are host and port right?",
                    null);
        }
    }

    private static boolean isAlive(HttpConnection connection) throws IOException {
        try {
            HttpHead head = connection.receive();
            try (InputStream content = connection.content(head)) {
                String text = new String(content.readNBytes(MOST_TOKEN_BYTES), StandardCharsets.UTF_8);
                return Fields.of(PlainJson.parse(text)).flag("alive");
            }
        } catch (HttpSyntaxException e) {
            return false;
        } catch (BoxdException e) {
            // A boxd that refuses says why, with a code; what others say is none, or no JSON.
            if (e.code() == ErrorCode.INTERNAL || e.code() == ErrorCode.INVALID_ARGUMENT) {
                return false;
            }
            throw e;
        }
    }
}
