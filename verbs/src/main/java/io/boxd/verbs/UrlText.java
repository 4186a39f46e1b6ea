package io.boxd.verbs;

import java.util.List;

/** Ways to boxes as text. */
final class UrlText {
    private final Look look;

    UrlText(Look look) {
        this.look = look;
    }

    String url(Fields way) {
        return Harmless.line(way.text("url", "?")) + "\n";
    }

    String shared(Fields way) {
        String link = way.text("link");
        if (link != null) {
            return Harmless.line(link) + "\nlets in until " + way.text("expires_at", "?") + "\n";
        }
        return list(List.of(way));
    }

    String list(List<Fields> ways) {
        if (ways.isEmpty()) {
            return "No boxes. Make one: new --name=task-1\n";
        }
        Table table = new Table()
                .names("BOX", 9)
                .column("ACCESS", 7)
                .column("PORT", 6)
                .column("URL", 8);
        ways.forEach(
                way -> table.row(way.text("box_name"), way.text("access"), way.text("port", "auto"), way.text("url")));
        return table.text(look, (title, cell) -> title.equals("BOX") ? look.strong(cell) : cell);
    }
}
