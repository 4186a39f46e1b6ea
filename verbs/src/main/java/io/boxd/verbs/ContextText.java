package io.boxd.verbs;

import java.util.List;

/** The servers that the caller knows as text. */
final class ContextText {
    private final Look look;

    ContextText(Look look) {
        this.look = look;
    }

    String list(List<Fields> contexts) {
        Table table =
                new Table().column("USED", 8).names("NAME", 9).column("URL", 7).column("TOKEN", 6);
        for (Fields context : contexts) {
            table.row(
                    context.flag("current") ? "*" : " ",
                    context.text("name"),
                    context.text("url"),
                    context.flag("logged_in") ? "kept" : "none");
        }
        return table.text(look, (title, cell) -> title.equals("NAME") ? look.strong(cell) : cell);
    }

    String loggedIn(Fields context) {
        String warning = context.flag("insecure_http")
                ? "Its token goes over the network unencrypted: whoever sees it can use it.\n"
                : "";
        return "logged in to " + shown(context, "url") + " (boxd " + shown(context, "version") + ") as context "
                + name(context) + ", in use from now on\n" + warning;
    }

    String loggedOut(Fields context) {
        return "logged out of " + name(context) + "; its token stays valid until the server revokes it\n";
    }

    String inUse(Fields context) {
        return context.has("url")
                ? name(context) + " is in use: " + shown(context, "url") + "\n"
                : name(context) + " is in use: the server on this machine\n";
    }

    private String name(Fields context) {
        return look.strong(shown(context, "name"));
    }

    private static String shown(Fields context, String field) {
        return Harmless.line(context.text(field, "?"));
    }
}
