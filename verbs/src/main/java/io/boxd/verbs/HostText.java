package io.boxd.verbs;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Executions, images and the server itself as text. */
final class HostText {
    /** {@code ex_} and eight digits. */
    private static final int SHORT_ID = 11;

    private final Look look;

    HostText(Look look) {
        this.look = look;
    }

    String executions(List<Fields> executions) {
        if (executions.isEmpty()) {
            return "No executions.\n";
        }
        Table table = new Table()
                .names("EXEC", 9)
                .column("STATUS", 8)
                .column("STARTED", 6)
                .column("USER", 2)
                .numbers("OUTPUT", 3)
                .numbers("CLIENTS", 1)
                .numbers("CPU", 4)
                .column("COMMAND", 7);
        for (Fields execution : executions) {
            table.row(
                    shortened(execution.text("exec_id", ""), executions),
                    status(execution),
                    Human.ago(execution.time("started_at"), look.now()),
                    execution.text("user"),
                    Human.size(execution.number("output_bytes")),
                    execution.text("clients"),
                    Human.millis(execution.number("cpu_ms")),
                    SnapshotText.command(execution));
        }
        return table.text(look, (title, cell) -> title.equals("STATUS") ? look.status(cell) : cell);
    }

    /** So much of an id as tells it from the others; servers take that for the whole. */
    private static String shortened(String id, List<Fields> executions) {
        if (id.length() <= SHORT_ID) {
            return id;
        }
        String start = id.substring(0, SHORT_ID);
        long same = executions.stream()
                .filter(each -> each.text("exec_id", "").startsWith(start))
                .count();
        return same == 1 ? start : id;
    }

    private static String status(Fields execution) {
        String status = execution.text("status", "unknown");
        return switch (status) {
            case "exited" -> "exit " + execution.text("exit_code", "?");
            case "killed" -> "killed " + execution.text("signal", "");
            default -> status;
        };
    }

    String killed(Fields execution) {
        return Harmless.line(execution.text("exec_id", "")) + " was signalled: " + status(execution) + "\n";
    }

    String images(List<Fields> images) {
        Table table = new Table()
                .names("NAME", 9)
                .column("SUITE", 5)
                .column("KIND", 4)
                .numbers("DISK", 6)
                .column("BUILT", 7)
                .column("KEY", 1);
        for (Fields image : images) {
            table.row(
                    image.text("name"),
                    image.text("suite"),
                    image.text("kind"),
                    Human.size(image.number("disk_bytes")),
                    built(image),
                    image.text("key"));
        }
        return table.isEmpty() ? "No images.\n" : table.text(look, (title, cell) -> cell);
    }

    private String built(Fields image) {
        if (image.time("built") != null) {
            return Human.ago(image.time("built"), look.now());
        }
        return image.flag("built") ? "yes" : "not yet";
    }

    String server(Fields server) {
        Map<String, @Nullable Object> boxes = server.object("boxes").values();
        String counts = boxes.entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .collect(Collectors.joining(", "));
        String why = server.has("accel_reason") ? " (" + server.text("accel_reason") + ")" : "";
        return new Sheet()
                .line("server", server.text("url"))
                .line("version", server.text("version"))
                .line("process", server.text("pid"))
                .line("home", server.text("home"))
                .line("up for", server.has("uptime_s") ? Human.duration(server.number("uptime_s", 0)) : null)
                .line("processor", server.has("accel") ? server.text("accel") + why : null)
                .line("boxes", counts.isEmpty() ? "none" : counts)
                .line("made ahead", server.has("spare_machines") ? machines(server.number("spare_machines", 0)) : null)
                .text(look);
    }

    private static String machines(long count) {
        return count == 1 ? "1 machine" : count + " machines";
    }
}
