package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.verbs.Fields;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The servers that the user knows, and which is in use.
 *
 * @param current its name; {@link Context#LOCAL} for the one on this machine
 * @param contexts by their names, without that one
 */
record KnownContexts(String current, Map<String, Context> contexts) {
    static final KnownContexts NONE = new KnownContexts(Context.LOCAL, Map.of());

    /** Of the file's form; whoever changes it raises this. */
    private static final long VERSION = 1;

    KnownContexts {
        contexts = Collections.unmodifiableMap(new LinkedHashMap<>(contexts));
    }

    /** @param source where it was read, for messages */
    static KnownContexts parse(String json, String source) {
        Fields file;
        try {
            file = Fields.of(PlainJson.parse(json));
        } catch (BoxdException e) {
            throw damaged(source, "is no JSON");
        }
        if (file.number("version", 0) != VERSION) {
            throw damaged(source, "was not written by this version of boxd");
        }
        Map<String, Context> contexts = new LinkedHashMap<>();
        Fields all = file.object("contexts");
        for (String name : all.values().keySet()) {
            Fields each = all.object(name);
            String url = each.text("url");
            if (url == null || !Context.isName(name)) {
                throw damaged(source, "has an entry that is none");
            }
            contexts.put(name, new Context(name, url, each.text("token"), each.text("ca"), each.flag("insecure_http")));
        }
        return new KnownContexts(file.text("current", Context.LOCAL), contexts);
    }

    private static BoxdException damaged(String source, String what) {
        return new BoxdException(
                ErrorCode.INTERNAL,
                source + " " + what,
                "Move it away and log in again, or set BOXD_URL and BOXD_TOKEN.",
                null);
    }

    String json() {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        contexts.forEach((name, context) -> {
            Map<String, @Nullable Object> each = new LinkedHashMap<>();
            each.put("url", context.url());
            each.put("token", context.token());
            each.put("ca", context.authorities());
            each.put("insecure_http", context.insecureHttp());
            all.put(name, each);
        });
        Map<String, @Nullable Object> file = new LinkedHashMap<>();
        file.put("version", VERSION);
        file.put("current", current);
        file.put("contexts", all);
        return PlainJson.write(file) + "\n";
    }

    /** The one with this name, or the one in use if there is no name; null for that on this machine. */
    @Nullable
    Context find(@Nullable String name) {
        String wanted = name == null ? current : name;
        return wanted.equals(Context.LOCAL) ? null : named(wanted);
    }

    /** One that is not on this machine. */
    Context named(String name) {
        Context context = contexts.get(name);
        if (context == null) {
            throw new BoxdException(
                    ErrorCode.NOT_FOUND,
                    "there is no context '" + name + "'",
                    "See boxd context list; boxd login URL makes one.",
                    null);
        }
        return context;
    }

    KnownContexts with(Context context) {
        Map<String, Context> changed = new LinkedHashMap<>(contexts);
        changed.put(context.name(), context);
        return new KnownContexts(current, changed);
    }

    KnownContexts without(Context context) {
        Map<String, Context> changed = new LinkedHashMap<>(contexts);
        changed.remove(context.name());
        return new KnownContexts(current.equals(context.name()) ? Context.LOCAL : current, changed);
    }

    KnownContexts using(String name) {
        return new KnownContexts(name, contexts);
    }
}
