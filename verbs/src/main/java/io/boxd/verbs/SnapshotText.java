package io.boxd.verbs;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Snapshots as text. */
final class SnapshotText {
    private final Look look;

    SnapshotText(Look look) {
        this.look = look;
    }

    String list(List<Fields> snapshots) {
        if (snapshots.isEmpty()) {
            return "No snapshots. Keep an instant of a box: snapshot save BOX --as clean\n";
        }
        Table table = new Table()
                .names("ID", 9)
                .names("LABEL", 8)
                .column("BOX", 7)
                .column("CAUSE", 5)
                .column("CREATED", 6)
                .numbers("MEMORY", 3)
                .numbers("DISK", 2)
                .column("COMMAND", 4);
        for (Fields snapshot : snapshots) {
            table.row(
                    snapshot.text("id"),
                    snapshot.text("label"),
                    snapshot.text("box_name", snapshot.text("box_id", "")),
                    snapshot.text("cause"),
                    Human.ago(snapshot.time("created_at"), look.now()),
                    Human.size(snapshot.number("memory_bytes")),
                    Human.size(snapshot.number("disk_bytes")),
                    command(snapshot));
        }
        return table.text(look, (title, cell) -> title.equals("LABEL") ? look.strong(cell) : cell);
    }

    String show(Fields snapshot) {
        return new Sheet()
                .line("id", snapshot.text("id"))
                .line("label", snapshot.text("label"))
                .line("box", snapshot.text("box_name", snapshot.text("box_id", "")))
                .status("state", snapshot.text("state", "unknown"))
                .line("cause", cause(snapshot.text("cause", "")))
                .line("before", command(snapshot))
                .line("execution", snapshot.text("exec_id"))
                .line("parent", snapshot.text("parent"))
                .line("created", Human.ago(snapshot.time("created_at"), look.now()))
                .line("memory", Human.size(snapshot.number("memory_bytes")))
                .line("disk", Human.size(snapshot.number("disk_bytes")))
                .text(look);
    }

    String saved(Fields snapshot) {
        String label = snapshot.text("label");
        return look.strong(Harmless.line(snapshot.text("id", "")))
                + (label == null ? "" : " (" + Harmless.line(label) + ")")
                + " keeps this instant of " + Harmless.line(snapshot.text("box_name", snapshot.text("box_id", "it")))
                + ": " + Human.size(snapshot.number("memory_bytes")) + " memory, "
                + Human.size(snapshot.number("disk_bytes")) + " disk\n";
    }

    static String cause(String cause) {
        return switch (cause) {
            case "saved" -> "saved by hand";
            case "checkpoint" -> "automatic checkpoint";
            case "left" -> "left by a rollback";
            default -> cause;
        };
    }

    /** The command of an execution, given as one string or as its words. */
    static @Nullable String command(Fields fields) {
        List<String> words = fields.texts("command");
        return words.isEmpty() ? fields.text("command") : String.join(" ", words);
    }
}
