package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.console.BrokenOutputException;
import io.boxd.console.Console;
import io.boxd.verbs.Answers;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Request;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code login}, {@code logout} and {@code context}: the servers that the user knows. */
final class ContextCommand {
    private final Console console;
    private final Contexts contexts;

    ContextCommand(Console console) {
        this.console = console;
        this.contexts = Contexts.of(console.environment());
    }

    int perform(Request request) throws BrokenOutputException {
        Object answer = answer(request);
        console.print(
                request.json() ? PlainJson.write(answer) + "\n" : Answers.text(request.verb(), answer, console.look()));
        tellIfOverridden(request);
        return Exits.DONE;
    }

    private Object answer(Request request) {
        String name = request.text("name");
        return switch (request.verb().name()) {
            case "login" -> login(request);
            case "logout" -> logout(name);
            case "context list" -> list();
            case "context use" -> use(String.valueOf(name));
            case "context rm" -> remove(String.valueOf(name));
            default -> throw new IllegalArgumentException(request.verb().name() + " is not about contexts");
        };
    }

    private Object login(Request request) {
        LoginCommand.LoggedIn done = new LoginCommand(console).login(request);
        Map<String, @Nullable Object> answer = entry(done.context(), true);
        answer.put("version", done.server().text("version"));
        return answer;
    }

    private Object logout(@Nullable String name) {
        KnownContexts known = contexts.load();
        Context context = known.find(name);
        if (context == null) {
            throw new BoxdException(
                    ErrorCode.WRONG_STATE,
                    "you are not logged in: the server on this machine is in use",
                    "Say which context; see boxd context list.",
                    null);
        }
        KnownContexts changed =
                contexts.change(now -> now.with(now.named(context.name()).withoutToken()));
        return entry(changed.named(context.name()), changed.current().equals(context.name()));
    }

    private Object list() {
        KnownContexts known = contexts.load();
        List<Object> entries = new ArrayList<>();
        entries.add(local(known.current().equals(Context.LOCAL)));
        known.contexts()
                .values()
                .forEach(context -> entries.add(entry(context, known.current().equals(context.name()))));
        return entries;
    }

    private Object use(String name) {
        KnownContexts changed = contexts.change(known -> {
            known.find(name);
            return known.using(name);
        });
        Context context = changed.find(name);
        return context == null ? local(true) : entry(context, true);
    }

    private Object remove(String name) {
        if (name.equals(Context.LOCAL)) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT, "the server on this machine is not a context that can be removed");
        }
        contexts.change(known -> known.without(known.named(name)));
        return Map.of("deleted", List.of(name));
    }

    private Map<String, @Nullable Object> local(boolean current) {
        Map<String, @Nullable Object> entry = new LinkedHashMap<>();
        entry.put("name", Context.LOCAL);
        entry.put("url", ServerFinder.localUrl(console.environment()));
        entry.put("current", current);
        entry.put("logged_in", true);
        entry.put("insecure_http", false);
        return entry;
    }

    private static Map<String, @Nullable Object> entry(Context context, boolean current) {
        Map<String, @Nullable Object> entry = new LinkedHashMap<>();
        entry.put("name", context.name());
        entry.put("url", context.url());
        entry.put("current", current);
        entry.put("logged_in", context.token() != null);
        entry.put("insecure_http", context.insecureHttp());
        return entry;
    }

    /** What is in use from now on is not what will be used. */
    private void tellIfOverridden(Request request) {
        for (String variable : List.of("BOXD_URL", "BOXD_HOME")) {
            if (!console.environment().getOrDefault(variable, "").isEmpty()
                    && !request.verb().name().equals("logout")) {
                console.tell(variable + " is set, and counts before what is in use");
                return;
            }
        }
    }
}
