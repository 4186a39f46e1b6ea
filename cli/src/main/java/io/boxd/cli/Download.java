package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.console.Console;
import io.boxd.console.Copied;
import io.boxd.console.Place;
import io.boxd.verbs.Fields;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Copies out of a box; under a temporary name first, so that nothing half is ever taken for the whole. */
final class Download {
    private final Servers servers;
    private final Console console;

    Download(Servers servers, Console console) {
        this.servers = servers;
        this.console = console;
    }

    Copied path(Place.InBox source, Place.Here target) throws IOException {
        Fields stat = CopyCommand.look(servers, source);
        if (stat == null) {
            throw new BoxdException(ErrorCode.NOT_FOUND, "there is no " + source.path() + " in " + source.box());
        }
        Path aim = Files.isDirectory(target.path()) ? target.path().resolve(source.name()) : target.path();
        return CopyCommand.isFolder(stat) ? folder(source, aim) : file(source, aim, stat);
    }

    Copied stream(Place.InBox source) throws IOException {
        return content(source, new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                console.write(bytes, offset, length);
            }
        });
    }

    private Copied content(Place.InBox source, OutputStream output) {
        return servers.talk(connection -> {
            connection.send("GET", source.target("files"), java.util.Map.of(), null);
            HttpHead head = connection.receive();
            boolean shown = !console.isOutputTerminal();
            try (Progress progress = new Progress(connection.content(head), console, shown)) {
                progress.transferTo(output);
                return new Copied(progress.bytes(), 1, 0);
            }
        });
    }

    private Copied file(Place.InBox source, Path target, Fields stat) throws IOException {
        Path temporary = temporary(target);
        try {
            Copied copied;
            try (OutputStream output = Files.newOutputStream(temporary)) {
                copied = content(source, output);
            }
            Files.setPosixFilePermissions(temporary, Permissions.of(mode(stat.text("mode"))));
            Instant modified = stat.time("modified_at");
            if (modified != null) {
                Files.setLastModifiedTime(temporary, FileTime.from(modified));
            }
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return copied;
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private static int mode(@Nullable String octal) {
        return octal != null && octal.matches("[0-7]{1,6}") ? Integer.parseInt(octal, 8) & TarEntry.PERMISSIONS : 0644;
    }

    private Copied folder(Place.InBox source, Path target) throws IOException {
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            return tree(source, target);
        }
        Path temporary = Files.createDirectory(temporary(target));
        try {
            Copied copied = tree(source, temporary);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
            return copied;
        } finally {
            delete(temporary);
        }
    }

    private Copied tree(Place.InBox source, Path target) {
        return servers.talk(connection -> {
            connection.send("GET", source.target("tree"), java.util.Map.of(), null);
            HttpHead head = connection.receive();
            try (Progress progress = new Progress(connection.content(head), console, true)) {
                Copied copied = Unpacker.unpack(progress, target);
                // The rest of the padding, and with it the proof that the archive did not break off.
                progress.transferTo(OutputStream.nullOutputStream());
                return copied;
            }
        });
    }

    private static Path temporary(Path target) {
        Path absolute = target.toAbsolutePath();
        return absolute.resolveSibling(".boxd-" + absolute.getFileName() + "-" + Long.toHexString(System.nanoTime()));
    }

    private static void delete(Path folder) throws IOException {
        if (Files.notExists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (var paths = Files.walk(folder)) {
            for (Path each : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
