package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.console.Console;
import io.boxd.console.Copied;
import io.boxd.console.Place;
import io.boxd.verbs.Fields;
import java.io.IOException;
import java.io.InputStream;

/** Copies from one box to another, through this process, without keeping anything. */
final class BetweenBoxes {
    private final Servers servers;
    private final Console console;

    BetweenBoxes(Servers servers, Console console) {
        this.servers = servers;
        this.console = console;
    }

    Copied copy(Place.InBox source, Place.InBox target) {
        Fields stat = CopyCommand.look(servers, source);
        if (stat == null) {
            throw new BoxdException(ErrorCode.NOT_FOUND, "there is no " + source.path() + " in " + source.box());
        }
        Place.InBox aim = CopyCommand.aim(servers, target, source.name());
        String what = CopyCommand.isFolder(stat) ? "tree" : "files";
        return servers.talk(from -> {
            from.send("GET", source.target(what), java.util.Map.of(), null);
            HttpHead head = from.receive();
            InputStream content = from.content(head);
            return what.equals("tree") ? tree(content, aim) : file(content, aim, stat);
        });
    }

    private Copied file(InputStream content, Place.InBox target, Fields stat) throws IOException {
        String mode = stat.text("mode", "");
        String place = mode.matches("[0-7]{3,6}") ? target.target("files", "mode=" + mode) : target.target("files");
        return new Upload(servers, console).content(content, place, true);
    }

    private Copied tree(InputStream content, Place.InBox target) throws IOException {
        try (Progress progress = new Progress(content, console, true)) {
            return servers.talk(to -> {
                to.send("PUT", target.target("tree"), progress::transferTo);
                Fields answer = Fields.of(PlainJson.parse(to.text(to.receive())));
                return new Copied(answer.number("bytes", 0), answer.number("entries", 0), answer.number("skipped", 0));
            });
        }
    }
}
