package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.console.BrokenOutputException;
import io.boxd.console.Console;
import io.boxd.console.Copied;
import io.boxd.console.Place;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Fields;
import io.boxd.verbs.Request;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** {@code cp}: which of the ways between here and boxes it is, and what is said of it. */
final class CopyCommand {
    private final Servers servers;
    private final Console console;

    CopyCommand(Servers servers, Console console) {
        this.servers = servers;
        this.console = console;
    }

    int copy(Request request) throws BrokenOutputException {
        Place source = Place.of(String.valueOf(request.text("source")), request.text("user"));
        Place target = Place.of(String.valueOf(request.text("target")), request.text("user"));
        Copied copied;
        try {
            copied = copy(source, target);
        } catch (BrokenOutputException e) {
            throw e;
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot copy: " + reason(e), e);
        }
        if (copied.skipped() > 0) {
            console.tell(copied.skipped() + " things were left out: devices, or links that lead out of the folder");
        }
        if (request.json()) {
            console.print(copied.json() + "\n");
        }
        return Exits.DONE;
    }

    private static String reason(IOException e) {
        return switch (e) {
            case java.nio.file.NoSuchFileException missing -> missing.getFile() + " is not there";
            case java.nio.file.AccessDeniedException denied -> "you may not touch " + denied.getFile();
            default -> String.valueOf(e.getMessage());
        };
    }

    private Copied copy(Place source, Place target) throws IOException {
        Upload upload = new Upload(servers, console);
        Download download = new Download(servers, console);
        return switch (source) {
            case Place.Stream ignored ->
                switch (target) {
                    case Place.InBox box -> upload.stream(console.input(), box);
                    case Place.Here ignoredToo -> throw Place.noBox();
                    case Place.Stream ignoredToo -> throw Place.noBox();
                };
            case Place.Here here ->
                switch (target) {
                    case Place.InBox box -> upload.path(here, box);
                    case Place.Here ignored -> throw Place.noBox();
                    case Place.Stream ignored -> throw Place.noBox();
                };
            case Place.InBox box ->
                switch (target) {
                    case Place.Stream ignored -> download.stream(box);
                    case Place.Here here -> download.path(box, here);
                    case Place.InBox other -> new BetweenBoxes(servers, console).copy(box, other);
                };
        };
    }

    /** What there is in a box at this place, or null. */
    static @Nullable Fields look(Servers servers, Place.InBox place) {
        try {
            return Fields.of(PlainJson.parse(servers.get(place.target("stat"))));
        } catch (BoxdException e) {
            if (e.code() == ErrorCode.NOT_FOUND && !isAboutBox(servers, place)) {
                return null;
            }
            throw e;
        }
    }

    /** Whether it is the box that is missing and not the file. */
    private static boolean isAboutBox(Servers servers, Place.InBox place) {
        try {
            return servers.get("/v1/boxes/" + Request.encode(place.box())).isEmpty();
        } catch (BoxdException e) {
            return true;
        }
    }

    static boolean isFolder(@Nullable Fields stat) {
        return stat != null && stat.text("type", "").equals("folder");
    }

    /** Into a folder that is there, as {@code cp} has it; otherwise by the name that was given. */
    static Place.InBox aim(Servers servers, Place.InBox target, String name) {
        boolean folder = target.path().isEmpty() || target.path().endsWith("/") || isFolder(look(servers, target));
        return folder ? target.resolve(name) : target;
    }
}
