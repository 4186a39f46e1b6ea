package io.boxd.verbs;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Boxes as text. */
final class BoxText {
    private final Look look;

    BoxText(Look look) {
        this.look = look;
    }

    String list(List<Fields> boxes) {
        if (boxes.isEmpty()) {
            return "No boxes. Make one: new --name=task-1\n";
        }
        Table table = new Table()
                .names("NAME", 9)
                .column("STATUS", 8)
                .column("IMAGE", 4)
                .numbers("CPUS", 2)
                .numbers("MEMORY", 3)
                .column("CREATED", 7)
                .column("FROM", 5)
                .column("LABELS", 1);
        Map<String, String> names = new HashMap<>();
        boxes.forEach(box -> names.put(box.text("id", "?"), box.text("name", "?")));
        for (Fields box : boxes) {
            table.row(
                    box.text("name"),
                    box.text("status"),
                    box.text("image"),
                    box.text("cpus"),
                    Human.size(box.number("memory_bytes")),
                    Human.ago(box.time("created_at"), look.now()),
                    names.getOrDefault(box.text("forked_from", ""), box.text("forked_from", "")),
                    labels(box));
        }
        return table.text(look, this::paint);
    }

    private String paint(String title, String cell) {
        return switch (title) {
            case "STATUS" -> look.status(cell);
            case "NAME", "BOX" -> look.strong(cell);
            default -> cell;
        };
    }

    String info(Fields box) {
        Fields timings = box.object("timings");
        return new Sheet()
                .line("name", box.text("name"))
                .line("id", box.text("id"))
                .status("status", box.text("status", "unknown"))
                .line("because", box.text("status_reason"))
                .line("source", source(box))
                .line(
                        "size",
                        box.text("cpus", "?") + " cpus, " + Human.size(box.number("memory_bytes")) + " memory, "
                                + Human.size(box.number("disk_bytes")) + " disk")
                .line("created", Human.ago(box.time("created_at"), look.now()))
                .line("expires", Human.until(box.time("expires_at"), look.now()))
                .line("labels", labels(box))
                .line("ssh", box.text("ssh"))
                .line("address", box.text("ip"))
                .line("standby", Human.orNever(box.number("idle_after_s")))
                .line("hibernation", Human.orNever(box.number("hibernate_after_s")))
                .line("checkpoints", checkpoints(box))
                .line("processor", box.text("accel"))
                .line("node", box.text("node"))
                .line("ready after", Human.millis(timings.number("ready_ms")))
                .text(look);
    }

    private static @Nullable String source(Fields box) {
        Fields source = box.object("source");
        if (source.has("box")) {
            return "fork of " + source.text("box");
        }
        return source.has("snapshot")
                ? "snapshot " + source.text("snapshot")
                : source.text("image", box.text("image", ""));
    }

    private static @Nullable String checkpoints(Fields box) {
        Long seconds = box.number("checkpoint_every");
        if (seconds != null) {
            return seconds == 0 ? null : "every " + Human.duration(seconds);
        }
        return box.has("checkpoint_every") ? "before each command" : null;
    }

    static String labels(Fields box) {
        Map<String, @Nullable Object> labels = box.object("labels").values();
        return labels.entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(" "));
    }

    /** A box that has just been made. */
    String made(Fields box) {
        Long ready = box.has("ready_ms")
                ? box.number("ready_ms")
                : box.object("timings").number("ready_ms");
        String text = name(box) + " is " + look.status(box.text("status", "there"));
        if (ready != null) {
            text += ", ready in " + Human.millis(ready);
        }
        if (box.has("pause_ms")) {
            text += "; its source stood still for " + Human.millis(box.number("pause_ms")) + ", "
                    + Human.size(box.number("dirty_bytes")) + " copied";
        }
        return text + "\n";
    }

    /** A box that was told to be in another status. */
    String moved(Fields box) {
        String status = look.status(box.text("status", "unknown"));
        if (box.has("changed") && !box.flag("changed")) {
            return name(box) + " is " + status + ", and was so already\n";
        }
        String took = took(box);
        return name(box) + " is " + status + (took.isEmpty() ? "" : " (" + took + ")") + "\n";
    }

    private static String took(Fields box) {
        for (String field : List.of("suspend_us", "resume_us")) {
            if (box.has(field)) {
                return Human.micros(box.number(field));
            }
        }
        for (String field : List.of("hibernate_ms", "wake_ms", "took_ms")) {
            if (box.has(field)) {
                return Human.millis(box.number(field));
            }
        }
        return "";
    }

    String rolledBack(Fields box) {
        String text = name(box) + " is what it was (" + Human.millis(box.number("took_ms")) + ")";
        String left = box.object("left_snapshot").text("id");
        return left == null ? text + "\n" : text + "; what it left is " + Harmless.line(left) + "\n";
    }

    String idle(Fields box) {
        return name(box) + " goes to standby: " + Human.orNever(box.number("idle_after_s")) + "\n";
    }

    private String name(Fields box) {
        return look.strong(Harmless.line(box.text("name", box.text("id", "the box"))));
    }

    String top(List<Fields> boxes) {
        Table table = new Table()
                .names("BOX", 9)
                .column("STATUS", 8)
                .numbers("CPU%", 7)
                .numbers("MEMORY", 6)
                .numbers("RECEIVED", 3)
                .numbers("SENT", 2)
                .column("FOR", 4);
        for (Fields each : boxes) {
            Fields box = each.object("box");
            Double cpu = each.fraction("cpu_percent");
            table.row(
                    box.text("name"),
                    box.text("status"),
                    cpu == null ? null : String.format(java.util.Locale.ROOT, "%.1f", cpu),
                    Human.size(each.number("memory_bytes")),
                    Human.size(each.number("received_bytes")),
                    Human.size(each.number("sent_bytes")),
                    each.has("in_status_s") ? Human.duration(each.number("in_status_s", 0)) : null);
        }
        return table.isEmpty() ? "No boxes.\n" : table.text(look, this::paint);
    }

    String why(Fields why) {
        Fields box = why.object("box");
        StringBuilder text = new StringBuilder(name(box) + " is " + look.status(box.text("status", "unknown")));
        Instant since = why.time("since");
        if (since != null) {
            long seconds = Duration.between(since, look.now()).toSeconds();
            text.append(" (").append(Human.duration(seconds)).append(")");
        }
        if (why.has("because")) {
            text.append(": ").append(Harmless.cut(why.text("because", ""), 2 * look.columns()));
        }
        text.append('\n');
        if (why.has("next_status")) {
            text.append("Next: ").append(look.status(why.text("next_status", "")));
            text.append(
                    why.has("sleeps_in_s")
                            ? " in " + Human.duration(why.number("sleeps_in_s", 0)) + " unless something happens\n"
                            : " once nothing keeps it awake\n");
        }
        Table table = new Table()
                .column("SOURCE", 9)
                .column("NOW", 8)
                .numbers("QUIET", 5)
                .column("DETAIL", 7);
        for (Fields source : why.list("sources")) {
            Long quiet = source.number("quiet_s");
            table.row(
                    source.text("kind"),
                    source.flag("active") ? "active" : "quiet",
                    quiet == null || source.flag("active") ? null : Human.duration(quiet),
                    source.text("detail"));
        }
        return table.isEmpty() ? text.toString() : text + "\n" + table.text(look, this::paintSource);
    }

    private String paintSource(String title, String cell) {
        return cell.equals("active") ? look.strong(cell) : cell;
    }
}
