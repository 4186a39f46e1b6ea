package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.control.BoxFiles;
import io.boxd.control.Control;
import io.boxd.guest.FileAttributes;
import io.boxd.guest.FileType;
import io.boxd.guest.ReadOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Files of boxes over HTTP; content passes through, and a slow client slows its box down, nothing else. */
final class FileRequests {
    private static final int COPY_BYTES = 64 << 10;
    static final String RANGE_PATTERN = "^bytes=([0-9]{1,18})-([0-9]{0,18})$";
    private static final Pattern RANGE = Pattern.compile(RANGE_PATTERN);

    private final Control control;

    FileRequests(Control control) {
        this.control = control;
    }

    void serve(Routes.FileRequest request, String box, Exchange exchange) throws IOException {
        BoxFiles files = control.files(exchange.caller());
        Map<String, List<String>> query = exchange.query();
        Set<String> known =
                request == Routes.FileRequest.WRITE ? Set.of("path", "user", "mode", "sha256") : Set.of("path", "user");
        for (String name : query.keySet()) {
            if (!known.contains(name)) {
                throw invalid("there is no parameter '" + name.replaceAll("[^a-z0-9_]", "?") + "'");
            }
        }
        String path = value(query, "path").orElseThrow(() -> invalid("'path' is missing"));
        BoxFiles.Place place = new BoxFiles.Place(box, path, value(query, "user"));
        switch (request) {
            case READ -> read(files, place, exchange);
            case WRITE ->
                exchange.answer(
                        Exchange.ok(),
                        files.write(
                                place,
                                new BoxFiles.Writing(value(query, "mode"), value(query, "sha256")),
                                exchange.body()));
            case PACK -> pack(files, place, exchange);
            case UNPACK -> exchange.answer(Exchange.ok(), files.unpack(place, exchange.body()));
            case STAT -> exchange.answer(Exchange.ok(), files.stat(place));
        }
    }

    private static Optional<String> value(Map<String, List<String>> query, String name) {
        List<String> values = query.getOrDefault(name, List.of());
        if (values.size() > 1) {
            throw invalid("'" + name + "' is said more than once");
        }
        return values.stream().findFirst();
    }

    private static BoxdException invalid(String message) {
        return new BoxdException(ErrorCode.INVALID_ARGUMENT, message);
    }

    private static void read(BoxFiles files, BoxFiles.Place place, Exchange exchange) throws IOException {
        Optional<String> range = exchange.header("Range");
        ReadOptions options = ReadOptions.all();
        if (range.isPresent()) {
            Matcher matcher = RANGE.matcher(range.get());
            if (!matcher.matches()) {
                throw invalid("a range is asked for as bytes=FIRST-LAST or bytes=FIRST-");
            }
            long first = Long.parseLong(matcher.group(1));
            long last = matcher.group(2).isEmpty() ? Long.MAX_VALUE - 1 : Long.parseLong(matcher.group(2));
            if (last < first) {
                throw invalid("a range ends behind its beginning");
            }
            options = options.withRange(first, last - first + 1);
        }
        try (BoxFiles.FileContent download = files.read(place, options)) {
            FileAttributes file = download.attributes();
            long length = Math.max(0, Math.min(file.size() - options.offset(), options.length()));
            if (range.isPresent() && length == 0) {
                throw invalid("the file has only " + file.size() + " bytes");
            }
            exchange.begin(range.isPresent() ? 206 : Exchange.ok());
            exchange.set("Content-Type", "application/octet-stream");
            exchange.set("X-Content-Type-Options", "nosniff");
            exchange.set("X-Boxd-Mode", BoxFiles.octal(file.mode()));
            if (range.isPresent()) {
                String bytes = options.offset() + "-" + (options.offset() + length - 1) + "/" + file.size();
                exchange.set("Content-Range", "bytes " + bytes);
            }
            if (file.type() == FileType.FILE && length > 0) {
                exchange.set("Content-Length", String.valueOf(length));
            }
            pass(download.content(), exchange);
        }
    }

    private static void pack(BoxFiles files, BoxFiles.Place place, Exchange exchange) throws IOException {
        try (BoxFiles.Download download = files.pack(place)) {
            exchange.begin(Exchange.ok());
            exchange.set("Content-Type", "application/x-tar");
            pass(download.content(), exchange);
        }
    }

    /** A failure on the way leaves the answer without its end, so that nobody takes it for a whole one. */
    private static void pass(InputStream content, Exchange exchange) throws IOException {
        OutputStream out = exchange.content();
        byte[] chunk = new byte[COPY_BYTES];
        for (int count = content.read(chunk); count >= 0; count = content.read(chunk)) {
            out.write(chunk, 0, count);
        }
        out.close();
    }
}
