package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.PlainJson;
import io.boxd.console.Console;
import io.boxd.console.Copied;
import io.boxd.console.Place;
import io.boxd.console.Waiting;
import io.boxd.verbs.Fields;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Copies into a box. */
final class Upload {
    private final Servers servers;
    private final Console console;

    Upload(Servers servers, Console console) {
        this.servers = servers;
        this.console = console;
    }

    Copied path(Place.Here source, Place.InBox target) throws IOException {
        Path path = source.path();
        Place.InBox aim = CopyCommand.aim(servers, target, source.name());
        if (Files.isDirectory(path)) {
            return folder(path, aim);
        }
        String hash;
        try (Progress reading = new Progress(Files.newInputStream(path), console, false)) {
            reading.transferTo(OutputStream.nullOutputStream());
            hash = reading.hash();
        }
        String mode =
                String.format(java.util.Locale.ROOT, "%04o", Permissions.mode(Files.getPosixFilePermissions(path)));
        try (InputStream input = Files.newInputStream(path)) {
            return content(input, aim.target("files", "mode=" + mode, "sha256=" + hash), true);
        }
    }

    Copied stream(InputStream input, Place.InBox target) throws IOException {
        return content(new BufferedInputStream(input), target.target("files"), true);
    }

    private Copied folder(Path folder, Place.InBox target) {
        try (Waiting _ = Waiting.on(console, "copying " + folder)) {
            return servers.talk(connection -> {
                Copied copied = connection.send("PUT", target.target("tree"), output -> Packer.pack(folder, output));
                Fields answer = Fields.of(PlainJson.parse(connection.text(connection.receive())));
                return new Copied(copied.bytes(), copied.entries(), copied.skipped() + answer.number("skipped", 0));
            });
        }
    }

    /** Sends content and compares what the server says it got. */
    Copied content(InputStream input, String target, boolean shown) throws IOException {
        try (Progress progress = new Progress(input, console, shown)) {
            return servers.talk(connection -> {
                connection.send("PUT", target, progress::transferTo);
                Fields answer = Fields.of(PlainJson.parse(connection.text(connection.receive())));
                check(progress.bytes(), answer.number("bytes"), progress.hash(), answer.text("sha256"));
                return new Copied(progress.bytes(), 1, 0);
            });
        }
    }

    private static void check(long sent, @Nullable Long arrived, String hash, @Nullable String arrivedHash) {
        boolean sameSize = arrived == null || arrived == sent;
        if (!sameSize || (arrivedHash != null && !arrivedHash.equals(hash))) {
            throw new BoxdException(ErrorCode.INTERNAL, "what arrived in the box is not what was sent");
        }
    }
}
