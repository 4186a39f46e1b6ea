package io.boxd.verbs;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Users, keys, tokens, organisations and what was used, as text. */
final class AccountText {
    private final Look look;

    AccountText(Look look) {
        this.look = look;
    }

    String self(Fields who) {
        String organisations = who.list("organisations").stream()
                .map(one -> one.text("name", "?") + " (" + one.text("role", "?") + ")")
                .collect(Collectors.joining(", "));
        return ended(new Sheet()
                .line("user", who.text("name"))
                .line("administrator", who.flag("administrator") ? "yes" : "no")
                .line("organisations", organisations)
                .line("token", who.text("token"))
                .line("it is for", scopes(who))
                .line("until", Human.until(who.time("expires_at"), look.now()))
                .text(look));
    }

    private static String ended(String text) {
        return text.isEmpty() ? "\n" : text;
    }

    private static @Nullable String scopes(Fields token) {
        Fields scopes = token.object("scopes");
        List<String> parts = new ArrayList<>();
        if (scopes.flag("read_only")) {
            parts.add("reading only");
        }
        if (!scopes.texts("verbs").isEmpty()) {
            parts.add(String.join(", ", scopes.texts("verbs")));
        }
        scopes.object("labels").values().forEach((key, value) -> parts.add(key + "=" + value));
        return parts.isEmpty() ? null : String.join("; ", parts);
    }

    String keys(List<Fields> keys) {
        Table table = new Table()
                .column("FINGERPRINT", 9)
                .column("TYPE", 3)
                .column("ADDED", 4)
                .column("COMMENT", 5);
        keys.stream()
                .filter(key -> key.has("fingerprint"))
                .forEach(key -> table.row(
                        key.text("fingerprint"),
                        key.text("type"),
                        Human.ago(key.time("added_at"), look.now()),
                        key.text("comment")));
        return table.isEmpty() ? "No keys.\n" : table.text(look, (_, cell) -> cell);
    }

    /** The secret has a line of its own, uncut, since it is shown this once. */
    String secret(Fields made, String field, String what) {
        return look.faint("This " + what + " is shown once: keep it.") + "\n" + Harmless.line(made.text(field, ""))
                + "\n"
                + new Sheet()
                        .line("id", made.text("id"))
                        .line("for", scopes(made))
                        .line("ends", Human.until(made.time("expires_at"), look.now()))
                        .text(look);
    }

    String tokens(List<Fields> tokens) {
        Table table = new Table()
                .column("ID", 9)
                .column("NOTE", 7)
                .column("FOR", 6)
                .column("MADE", 3)
                .column("ENDS", 5);
        tokens.stream()
                .filter(token -> token.has("id"))
                .forEach(token -> table.row(
                        token.text("id"),
                        token.text("note"),
                        scopes(token) == null ? "everything" : scopes(token),
                        Human.ago(token.time("created_at"), look.now()),
                        token.has("expires_at") ? Human.until(token.time("expires_at"), look.now()) : "never"));
        return table.isEmpty() ? "No tokens.\n" : table.text(look, (_, cell) -> cell);
    }

    String organisations(List<Fields> organisations) {
        Table table = new Table()
                .column("NAME", 9)
                .column("ROLE", 7)
                .numbers("MEMBERS", 5)
                .column("POOL", 4);
        organisations.stream()
                .filter(one -> one.has("name"))
                .forEach(one ->
                        table.row(one.text("name"), one.text("role"), one.text("members"), pool(one.object("pool"))));
        return table.isEmpty() ? "No organisations.\n" : table.text(look, (_, cell) -> cell);
    }

    private static @Nullable String pool(Fields pool) {
        return pool.has("boxes")
                ? pool.text("boxes") + " boxes, " + pool.text("cpus") + " cpus, "
                        + Human.size(pool.number("memory_bytes"))
                : null;
    }

    String users(List<Fields> users) {
        Table table = new Table()
                .column("NAME", 9)
                .column("ADMINISTRATOR", 7)
                .numbers("BOXES", 5)
                .column("SINCE", 4);
        users.stream()
                .filter(one -> one.has("name"))
                .forEach(one -> table.row(
                        one.text("name"),
                        one.flag("administrator") ? "yes" : "no",
                        one.text("boxes"),
                        Human.ago(one.time("created_at"), look.now())));
        return table.isEmpty() ? "No users.\n" : table.text(look, (_, cell) -> cell);
    }

    String invitations(List<Fields> invitations) {
        Table table = new Table()
                .column("ID", 9)
                .column("BY", 7)
                .column("ORG", 6)
                .column("ROLE", 4)
                .column("ENDS", 5);
        invitations.stream()
                .filter(one -> one.has("id"))
                .forEach(one -> table.row(
                        one.text("id"),
                        one.text("by"),
                        one.text("org"),
                        one.text("role"),
                        Human.until(one.time("expires_at"), look.now())));
        return table.isEmpty() ? "No invitations.\n" : table.text(look, (_, cell) -> cell);
    }

    String members(List<Fields> members) {
        Table table = new Table().column("USER", 9).column("ROLE", 7).column("LIMIT", 4);
        members.stream()
                .filter(one -> one.has("user"))
                .forEach(one -> table.row(one.text("user"), one.text("role"), pool(one.object("limit"))));
        return table.isEmpty() ? "No members.\n" : table.text(look, (_, cell) -> cell);
    }

    String usage(Fields usage) {
        Table table = new Table()
                .column("BOX", 9)
                .column("OWNER", 3)
                .numbers("CPU", 8)
                .numbers("MEMORY·H", 7)
                .numbers("DISK·H", 6)
                .numbers("RECEIVED", 4)
                .numbers("SENT", 4);
        usage.list("boxes").forEach(box -> row(table, box.text("box_name", box.text("box_id", "?")), box));
        row(table, "all", usage.object("total"));
        return table.text(look, (_, cell) -> cell);
    }

    private static void row(Table table, String name, Fields used) {
        table.row(
                name,
                used.text("owner"),
                Human.millis(used.number("cpu_ms", 0)),
                gibHours(used.number("memory_mib_s", 0)),
                gibHours(used.number("disk_mib_s", 0)),
                Human.size(used.number("received_bytes", 0)),
                Human.size(used.number("sent_bytes", 0)));
    }

    /** Tenths of a gibibyte for an hour, by hand as everything here. */
    private static String gibHours(long mebibyteSeconds) {
        long tenths = mebibyteSeconds / (1024 * 360);
        return tenths / 10 + "." + tenths % 10 + "G";
    }

    String quota(Fields quota) {
        Fields used = quota.object("used");
        Fields limit = quota.object("limit");
        return ended(new Sheet()
                .line("user", quota.text("user"))
                .line("boxes", of(used.text("boxes"), limit.text("boxes")))
                .line("awake", of(used.text("running_boxes"), limit.text("running_boxes")))
                .line("cpus", of(used.text("cpus"), limit.text("cpus")))
                .line("memory", of(size(used, "memory_bytes"), size(limit, "memory_bytes")))
                .line("disk", of(size(used, "disk_bytes"), size(limit, "disk_bytes")))
                .line("snapshots", of(used.text("snapshots"), limit.text("snapshots")))
                .text(look));
    }

    private static @Nullable String size(Fields fields, String name) {
        return fields.has(name) ? Human.size(fields.number(name)) : null;
    }

    private static @Nullable String of(@Nullable String used, @Nullable String limit) {
        return used == null || limit == null ? null : used + " of " + limit;
    }
}
