package io.boxd.control;

import io.boxd.accounts.Deed;
import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.FileAttributes;
import io.boxd.guest.FileDownload;
import io.boxd.guest.FileType;
import io.boxd.guest.GuestPath;
import io.boxd.guest.GuestTrees;
import io.boxd.guest.ReadOptions;
import io.boxd.guest.WriteOptions;
import io.boxd.worker.Boxes;
import io.boxd.worker.Hold;
import java.io.IOException;
import java.io.InputStream;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/** Files in boxes of this host. */
final class LocalFiles implements BoxFiles {
    private final Boxes readable;
    private final Supplier<Boxes> writable;
    private final Settings settings;
    private final Trail trail;
    private final OpenStreams streams;
    private final Caller caller;

    /**
     * Files in somebody's boxes.
     *
     * @param writable throws if they may not change any
     */
    LocalFiles(
            Boxes readable,
            Supplier<Boxes> writable,
            Settings settings,
            Trail trail,
            OpenStreams streams,
            Caller caller) {
        this.readable = readable;
        this.writable = writable;
        this.settings = settings;
        this.trail = trail;
        this.streams = streams;
        this.caller = caller;
    }

    static GuestPath resolve(Settings settings, String path) {
        if (path.isEmpty()) {
            return GuestPath.of(settings.home());
        }
        return path.startsWith("/")
                ? GuestPath.of(path)
                : GuestPath.of(settings.home()).resolve(path);
    }

    private GuestPath path(Place place) {
        return resolve(settings, place.path());
    }

    private String user(Place place) {
        return place.user().orElse(settings.user());
    }

    @Override
    public FileContent read(Place place, ReadOptions range) {
        return open(
                place,
                "reading a file",
                hold -> hold.agent().files(user(place)).read(path(place), range, Deadline.in(Limits.QUESTION)),
                Content::new);
    }

    @Override
    public Download pack(Place place) {
        return open(place, "packing files", hold -> archive(place, hold.agent()), Outgoing::new);
    }

    private InputStream archive(Place place, AgentConnection agent) {
        GuestPath path = path(place);
        Deadline deadline = Deadline.in(Limits.QUESTION);
        FileAttributes what = agent.files(user(place)).stat(path, deadline);
        if (what.type() != FileType.FILE) {
            return agent.trees(user(place)).pack(path, deadline);
        }
        FileDownload content = agent.files(user(place)).read(path, ReadOptions.all(), deadline);
        String name = path.toString();
        return new FileArchive(name.substring(name.lastIndexOf('/') + 1), content.attributes(), content);
    }

    private <T extends InputStream, D extends Download> D open(
            Place place, String reason, Function<Hold, T> opening, BiFunction<Hold, T, D> download) {
        return trail.ofFiles(caller, "file read", false, place.box(), () -> {
            Hold hold = readable.hold(place.box(), reason, Deadline.in(Limits.WAKE));
            try {
                return streams.note(
                        download.apply(hold, opening.apply(hold)),
                        caller,
                        Deed.readingFiles(),
                        Optional.of(hold.box().id()));
            } catch (RuntimeException e) {
                hold.close();
                throw e;
            }
        });
    }

    /** On its way out of a box that is held. */
    private static class Outgoing implements Download {
        private final Hold hold;
        private final InputStream content;

        Outgoing(Hold hold, InputStream content) {
            this.hold = hold;
            this.content = content;
        }

        @Override
        public InputStream content() {
            return content;
        }

        @Override
        public void close() {
            try (hold) {
                content.close();
            } catch (IOException e) {
                throw new BoxdException(ErrorCode.UNAVAILABLE, "a download could not be ended", e);
            }
        }
    }

    /** The same, of one file. */
    private static final class Content extends Outgoing implements FileContent {
        private final FileAttributes attributes;

        Content(Hold hold, FileDownload content) {
            super(hold, content);
            this.attributes = content.attributes();
        }

        @Override
        public FileAttributes attributes() {
            return attributes;
        }
    }

    @Override
    public ObjectNode write(Place place, Writing writing, InputStream content) {
        return trail.ofFiles(
                caller, "file write", true, place.box(), () -> written(place, writing, granted(place, content)));
    }

    private ObjectNode written(Place place, Writing writing, InputStream content) {
        WriteOptions options = WriteOptions.replace().withParents();
        if (writing.mode().isPresent()) {
            options = options.withMode(mode(writing.mode().get()));
        }
        if (writing.sha256().isPresent()) {
            options = options.withSha256(hash(writing.sha256().get()));
        }
        MessageDigest digest = sha256();
        try (Hold hold = writable.get().hold(place.box(), "writing a file", Deadline.in(Limits.WAKE))) {
            long bytes = hold.agent()
                    .files(user(place))
                    .write(path(place), new DigestInputStream(content, digest), options, Deadline.in(Limits.TRANSFER));
            return Json.object()
                    .put("path", path(place).toString())
                    .put("bytes", bytes)
                    .put("sha256", HexFormat.of().formatHex(digest.digest()));
        }
    }

    /** Nothing more of it arrives once they may not write any more, and without its end no file is written. */
    private InputStream granted(Place place, InputStream content) {
        String box = writable.get().find(place.box()).id();
        return streams.note(new GrantedContent(content), caller, Deed.writingFiles(), Optional.of(box));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    private static int mode(String octal) {
        if (!octal.matches("[0-7]{3,4}")) {
            throw Failures.invalid("'" + Printable.line(octal) + "' is no mode", "Use octal digits, as in 0644.");
        }
        return Integer.parseInt(octal, 8);
    }

    private static byte[] hash(String hex) {
        try {
            return HexFormat.of().parseHex(hex.toLowerCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw Failures.invalid("a SHA-256 is 64 hexadecimal digits");
        }
    }

    @Override
    public ObjectNode unpack(Place place, InputStream archive) {
        return trail.ofFiles(caller, "file write", true, place.box(), () -> unpacked(place, granted(place, archive)));
    }

    private ObjectNode unpacked(Place place, InputStream archive) {
        try (Hold hold = writable.get().hold(place.box(), "unpacking files", Deadline.in(Limits.WAKE))) {
            boolean owners = user(place).isEmpty() || user(place).equals("root");
            GuestTrees.Unpacked unpacked =
                    hold.agent().trees(user(place)).unpack(path(place), archive, owners, Deadline.in(Limits.TRANSFER));
            return Json.object()
                    .put("entries", unpacked.entries())
                    .put("skipped", unpacked.skipped())
                    .put("bytes", unpacked.contentBytes());
        }
    }

    @Override
    public ObjectNode stat(Place place) {
        try (Hold hold = readable.hold(place.box(), "looking at a file", Deadline.in(Limits.WAKE))) {
            GuestPath path = path(place);
            FileAttributes file = hold.agent().files(user(place)).stat(path, Deadline.in(Limits.QUESTION));
            ObjectNode answer = Json.object();
            answer.put("path", path.toString());
            answer.put("type", file.type().name().toLowerCase(Locale.ROOT));
            answer.put("mode", BoxFiles.octal(file.mode()));
            answer.put("size", file.size());
            answer.put("modified_at", Answers.time(file.modified()));
            answer.put("user", file.user().isEmpty() ? String.valueOf(file.uid()) : file.user());
            answer.put(
                    "link_target",
                    file.linkTarget().isEmpty() ? null : file.linkTarget().toString());
            return answer;
        }
    }
}
