package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.console.Console;
import io.boxd.console.Copied;
import io.boxd.console.Place;
import io.boxd.control.BoxFiles;
import io.boxd.control.Caller;
import io.boxd.control.Control;
import io.boxd.guest.ReadOptions;
import io.boxd.verbs.Exits;
import io.boxd.verbs.Request;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** {@code cp}: between boxes, and between a box and the streams of a session. */
final class CopyDeed {
    private static final int CHUNK_BYTES = 32 * 1024;

    private final BoxFiles files;
    private final Seat seat;
    private final Console console;

    CopyDeed(Control control, Caller caller, Seat seat, Console console) {
        this.files = control.files(caller);
        this.seat = seat;
        this.console = console;
    }

    int copy(Request request) throws IOException {
        Place source = Place.of(String.valueOf(request.text("source")), request.text("user"));
        Place target = Place.of(String.valueOf(request.text("target")), request.text("user"));
        Copied copied = copy(source, target);
        if (copied.skipped() > 0) {
            console.tell(copied.skipped() + " things were left out: devices, or links that lead out of the folder");
        }
        if (request.json()) {
            console.print(copied.json() + "\n");
        }
        return Exits.DONE;
    }

    private Copied copy(Place source, Place target) throws IOException {
        return switch (source) {
            case Place.Here _ -> throw notHere();
            case Place.Stream _ ->
                switch (target) {
                    case Place.InBox box -> written(files.write(place(box), keeping(), seat.input()));
                    case Place.Here _ -> throw notHere();
                    case Place.Stream _ -> throw Place.noBox();
                };
            case Place.InBox box ->
                switch (target) {
                    case Place.Stream _ -> toOutput(box);
                    case Place.Here _ -> throw notHere();
                    case Place.InBox other -> between(box, other);
                };
        };
    }

    private static BoxdException notHere() {
        return new BoxdException(
                ErrorCode.INVALID_ARGUMENT,
                "files of your machine cannot be reached from here",
                "Say - and redirect (ssh … cp BOX:FILE - > FILE), or use scp with the box's own door.",
                null);
    }

    private static BoxFiles.Place place(Place.InBox place) {
        return new BoxFiles.Place(place.box(), place.path(), Optional.ofNullable(place.user()));
    }

    private static BoxFiles.Writing keeping() {
        return new BoxFiles.Writing(Optional.empty(), Optional.empty());
    }

    private static Copied written(ObjectNode answer) {
        return new Copied(answer.path("bytes").asLong(0), 1, 0);
    }

    private Copied toOutput(Place.InBox source) throws IOException {
        try (BoxFiles.FileContent file = files.read(place(source), ReadOptions.all())) {
            InputStream content = file.content();
            byte[] chunk = new byte[CHUNK_BYTES];
            long bytes = 0;
            for (int count = content.read(chunk); count >= 0; count = content.read(chunk)) {
                console.write(false, ByteBuffer.wrap(chunk, 0, count));
                bytes += count;
            }
            return new Copied(bytes, 1, 0);
        }
    }

    private Copied between(Place.InBox source, Place.InBox target) {
        ObjectNode stat = files.stat(place(source));
        BoxFiles.Place aim = place(aim(target, source.name()));
        if (isFolder(stat)) {
            try (BoxFiles.Download archive = files.pack(place(source))) {
                ObjectNode answer = files.unpack(aim, archive.content());
                return new Copied(
                        answer.path("bytes").asLong(0),
                        answer.path("entries").asLong(0),
                        answer.path("skipped").asLong(0));
            }
        }
        try (BoxFiles.FileContent file = files.read(place(source), ReadOptions.all())) {
            Optional<String> mode = Optional.of(stat.path("mode").asString(""));
            return written(files.write(aim, new BoxFiles.Writing(mode, Optional.empty()), file.content()));
        }
    }

    /** Into a folder that is there, as {@code cp} has it; otherwise by the name that was given. */
    private Place.InBox aim(Place.InBox target, String name) {
        boolean folder = target.path().isEmpty() || target.path().endsWith("/") || isFolder(target);
        return folder ? target.resolve(name) : target;
    }

    private boolean isFolder(Place.InBox target) {
        try {
            return isFolder(files.stat(place(target)));
        } catch (BoxdException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return false; // where it is the box that is missing, the next step says so
            }
            throw e;
        }
    }

    private static boolean isFolder(ObjectNode stat) {
        return stat.path("type").asString("").equals("folder");
    }
}
