package io.boxd.verbs;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Events, the audit and webhooks as text. */
final class HistoryText {
    private static final int NAME_COLUMNS = 16;
    private static final int KIND_COLUMNS = 18;
    private static final int VERB_COLUMNS = 14;
    private static final int WHO_COLUMNS = 20;

    private final Look look;

    HistoryText(Look look) {
        this.look = look;
    }

    /** {@code 11-18 09:41:07}, in UTC: whoever compares two hosts wants one clock. */
    private static String moment(Fields fields) {
        String time = fields.text("time", "");
        return time.length() < 19 ? time : time.substring(5, 10) + " " + time.substring(11, 19);
    }

    String events(Fields answer) {
        List<Fields> events = answer.list("events");
        if (events.isEmpty()) {
            return "No events.\n";
        }
        Table table = new Table()
                .numbers("N", 5)
                .column("TIME", 8)
                .names("BOX", 9)
                .column("EVENT", 10)
                .column("CAUSE", 7);
        for (Fields event : events) {
            table.row(
                    event.text("sequence"),
                    moment(event),
                    event.text("box_name", event.text("box_id", "")),
                    event.text("kind"),
                    event.text("cause"));
        }
        return table.text(look, (title, cell) -> title.equals("EVENT") ? look.strong(cell) : cell);
    }

    String audit(List<Fields> entries) {
        if (entries.isEmpty()) {
            return "No entries.\n";
        }
        Table table = new Table()
                .numbers("N", 4)
                .column("TIME", 8)
                .column("WHO", 9)
                .column("FROM", 6)
                .column("VERB", 10)
                .column("BOX", 7)
                .column("OUTCOME", 9)
                .numbers("TOOK", 3)
                .column("ABOUT", 5);
        for (Fields entry : entries) {
            table.row(
                    entry.text("sequence"),
                    moment(entry),
                    entry.text("account"),
                    from(entry),
                    what(entry),
                    entry.text("box_name", entry.text("box_id", "")),
                    entry.text("outcome"),
                    entry.has("duration_ms") ? Human.millis(entry.number("duration_ms")) : null,
                    about(entry));
        }
        return table.text(look, (title, cell) -> title.equals("VERB") ? look.strong(cell) : cell);
    }

    private static @Nullable String from(Fields entry) {
        return entry.has("door") ? entry.text("door") + " " + entry.text("remote", "") : null;
    }

    private static String what(Fields entry) {
        return switch (entry.text("kind", "")) {
            case "opened" -> "(new file)";
            case "lost" -> "(" + entry.number("count", 0) + " lost)";
            case "recovered" -> "(" + entry.number("count", 0) + " recovered)";
            case "unsealed" -> "(no seal)";
            default -> entry.text("verb", "");
        };
    }

    private static @Nullable String about(Fields entry) {
        return entry.has("exec_id") ? entry.text("exec_id") : entry.text("subject");
    }

    /** One event, for whoever follows them: the columns do not depend on what comes next. */
    String event(Fields event) {
        String start =
                moment(event) + "  " + padded(event.text("box_name", event.text("box_id", "")), NAME_COLUMNS) + "  ";
        String kind = padded(event.text("kind", ""), KIND_COLUMNS);
        int used = Harmless.columns(start) + KIND_COLUMNS + 2;
        return start + look.strong(kind) + "  " + rest(event.text("cause", ""), used) + "\n";
    }

    String entry(Fields entry) {
        String who = entry.text("account", "") + (entry.has("remote") ? "@" + entry.text("remote") : "");
        String start = moment(entry) + "  " + padded(who, WHO_COLUMNS) + "  ";
        String verb = padded(what(entry), VERB_COLUMNS);
        int used = Harmless.columns(start) + VERB_COLUMNS + 2;
        String about = about(entry);
        String rest = entry.text("outcome", "") + "  " + entry.text("box_name", entry.text("box_id", ""))
                + (about == null ? "" : "  " + about);
        return start + look.strong(verb) + "  " + rest(rest.strip(), used) + "\n";
    }

    private static String padded(String text, int columns) {
        String cut = Harmless.cut(text, columns);
        return cut + " ".repeat(Math.max(0, columns - Harmless.columns(cut)));
    }

    private String rest(String text, int used) {
        return Harmless.cut(text, Math.max(10, look.columns() - used));
    }

    String verification(Fields answer) {
        long entries = answer.number("entries", 0);
        StringBuilder text = new StringBuilder();
        if (answer.flag("whole")) {
            text.append("The audit is whole: " + entries + " entries in " + answer.number("files", 0) + " files.\n");
            text.append("Each is linked to the one before, and the end is sealed.\n");
        } else {
            text.append(look.status("failed").replace("failed", "The audit is not as it was written:") + "\n");
            for (Fields finding : answer.list("findings")) {
                long line = finding.number("line", 0);
                text.append("  " + padded(finding.text("kind", ""), 10)
                        + Harmless.line(finding.text("file", "")) + (line > 0 ? ", line " + line : "")
                        + ", entry " + finding.number("sequence", 0) + "\n"
                        + " ".repeat(12) + Harmless.line(finding.text("detail", "")) + "\n");
            }
            long more = answer.number("more_findings", 0);
            text.append(more > 0 ? "  and " + more + " more\n" : "");
        }
        noted(text, answer.number("lost", 0), "entries could not be written down, and the audit says so itself.");
        noted(text, answer.number("recovered", 0), "entries were found unsealed after an end without warning.");
        return text.toString();
    }

    private static void noted(StringBuilder text, long count, String what) {
        text.append(count > 0 ? count + " " + what + "\n" : "");
    }

    String webhooks(List<Fields> hooks) {
        if (hooks.isEmpty()) {
            return "No webhooks. Tell a URL of events: webhook add URL\n";
        }
        Table table = new Table()
                .names("ID", 10)
                .column("URL", 9)
                .column("EVENTS", 4)
                .column("STATE", 8)
                .numbers("TOLD", 3)
                .numbers("DEAD", 6)
                .column("FAILURE", 5);
        for (Fields hook : hooks) {
            List<String> kinds = hook.texts("events");
            table.row(
                    hook.text("id"),
                    hook.text("url"),
                    kinds.isEmpty() ? "all" : String.join(",", kinds),
                    hook.text("state"),
                    hook.text("cursor"),
                    hook.text("dead"),
                    hook.text("state", "").equals("ok") ? null : hook.text("last_failure"));
        }
        return table.text(look, (title, cell) -> title.equals("STATE") ? look.status(cell) : cell);
    }

    String webhookAdded(Fields hook) {
        String text = look.strong(Harmless.line(hook.text("id", ""))) + " is told of events at "
                + Harmless.line(hook.text("url", "")) + "\n";
        return hook.has("secret")
                ? text + "Its secret, shown only now: " + Harmless.line(hook.text("secret", "")) + "\n"
                : text;
    }

    String webhookTested(Fields tested) {
        return tested.flag("delivered")
                ? "delivered: status " + tested.text("status", "?") + " in " + Human.millis(tested.number("took_ms"))
                        + "\n"
                : "not delivered: " + Harmless.line(tested.text("failure", "")) + "\n";
    }

    String deadLetters(List<Fields> letters) {
        if (letters.isEmpty()) {
            return "No event was given up.\n";
        }
        Table table = new Table()
                .names("WEBHOOK", 8)
                .numbers("N", 10)
                .column("TIME", 7)
                .column("BOX", 6)
                .column("EVENT", 9)
                .numbers("TRIES", 3)
                .column("FAILURE", 5);
        for (Fields letter : letters) {
            Fields event = letter.object("event");
            table.row(
                    letter.text("webhook_id"),
                    letter.text("sequence"),
                    moment(event),
                    event.text("box_name"),
                    event.text("kind"),
                    letter.text("attempts"),
                    letter.text("last_failure"));
        }
        return table.text(look, (title, cell) -> cell);
    }

    String retried(Fields answer) {
        String failure = answer.text("failure");
        return answer.text("delivered", "0") + " delivered, " + answer.text("left", "0") + " left"
                + (failure == null ? "" : ": " + Harmless.line(failure)) + "\n";
    }
}
