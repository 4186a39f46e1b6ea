package io.boxd.proxy;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Writes a request anew, so that there is one way to read it: what is ambiguous is refused, what is of the client's
 * connection stays behind, and what this door knows of the client is told.
 */
final class RequestRewriting {
    private static final Pattern AUTHORITY = Pattern.compile("[a-z0-9.-]{1,253}(:[0-9]{1,5})?");
    private static final Pattern PROTOCOL = Pattern.compile("[A-Za-z0-9._+/-]{1,64}");
    private static final String CHUNKED = "chunked";
    private static final int LONGEST_METHOD = 32;

    private RequestRewriting() {}

    /**
     * A request to be sent to a box.
     *
     * @param upgrade the protocol to which the client wants to change, if it does
     * @param waits whether the client sends its body only when it is told to
     */
    record Rewritten(RequestHead head, Optional<String> upgrade, boolean waits) {}

    /**
     * As a box gets it.
     *
     * @param visitor the name of the user who asks, if they have shown who they are
     */
    static Rewritten rewrite(Incoming in, Optional<String> visitor) {
        requireReadable(in);
        Set<String> ofConnection = ofConnection(in);
        Optional<String> upgrade = upgrade(in, ofConnection);
        List<Field> fields = new ArrayList<>(in.fields().size() + 8);
        fields.add(new Field("Host", in.authority()));
        boolean trailers = false;
        boolean waits = false;
        StringBuilder cookies = new StringBuilder();
        for (Field field : in.fields()) {
            String plain = FieldNames.plain(field.name());
            if (field.is("te")) {
                trailers |= words(field.value()).anyMatch("trailers"::equals);
            } else if (field.is("expect")) {
                waits |= field.value().equalsIgnoreCase("100-continue");
            } else if (field.is("cookie")) {
                // HTTP/2 sends them one by one; whoever reads HTTP/1.1 expects one line.
                String kept = LinkCookie.without(field.value());
                cookies.append(cookies.isEmpty() || kept.isEmpty() ? "" : "; ").append(kept);
            } else if (!field.name().startsWith(":")
                    && !FieldNames.staysBehind(plain)
                    && !Visitor.isToken(field)
                    && !ofConnection.contains(field.name().toLowerCase(Locale.ROOT))) {
                fields.add(field);
            }
        }
        if (!cookies.isEmpty()) {
            fields.add(new Field("Cookie", cookies.toString()));
        }
        addFraming(in.framing(), fields);
        if (waits && !(in.framing() instanceof Framing.None)) {
            fields.add(new Field("Expect", "100-continue"));
        }
        addConnection(trailers, upgrade, fields);
        addClient(in, fields);
        visitor.ifPresent(name -> fields.add(new Field("X-Boxd-User", name)));
        return new Rewritten(new RequestHead(in.method(), target(in), fields), upgrade, waits);
    }

    private static void requireReadable(Incoming in) {
        if (in.method().length() > LONGEST_METHOD || !FieldNames.isToken(in.method())) {
            throw refusal("its method is no word");
        }
        if (in.method().equals("CONNECT") || in.method().equals("TRACE")) {
            throw refusal("the method " + in.method() + " is not passed to boxes");
        }
        if (!AUTHORITY.matcher(in.authority().toLowerCase(Locale.ROOT)).matches()) {
            throw refusal("its host is no host name");
        }
        for (Field field : in.fields()) {
            boolean pseudo = field.name().startsWith(":");
            if (!pseudo && !FieldNames.isToken(field.name())) {
                throw refusal("the name of a header is no word");
            }
            if (!FieldNames.isValue(field.value())) {
                throw refusal("the header " + field.name() + " has characters that no header may have");
            }
        }
        requireOneFraming(in);
    }

    /** What is said of the body must be what was understood of it. */
    private static void requireOneFraming(Incoming in) {
        List<String> lengths = values(in, "content-length");
        List<String> codings = values(in, "transfer-encoding");
        if (lengths.size() > 1 || codings.size() > 1 || (!lengths.isEmpty() && !codings.isEmpty())) {
            throw refusal("it says more than once how long it is");
        }
        if (!codings.isEmpty() && !codings.getFirst().equalsIgnoreCase(CHUNKED)) {
            throw refusal("it has a transfer coding other than chunked");
        }
        if (!lengths.isEmpty() && !isNumber(lengths.getFirst())) {
            throw refusal("its length is no number");
        }
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.length() <= 18 && text.chars().allMatch(each -> each >= '0' && each <= '9');
    }

    private static List<String> values(Incoming in, String name) {
        return in.fields().stream()
                .filter(field -> field.is(name))
                .map(Field::value)
                .toList();
    }

    /** Which fields the client says are of its connection only. */
    private static Set<String> ofConnection(Incoming in) {
        Set<String> names = new HashSet<>();
        values(in, "connection").stream().flatMap(RequestRewriting::words).forEach(name -> {
            if (!FieldNames.canBeOfConnection(FieldNames.plain(name))) {
                throw refusal("it says that " + name + " concerns its connection only");
            }
            names.add(name);
        });
        return names;
    }

    private static Stream<String> words(String value) {
        return Stream.of(value.split(",", -1))
                .map(word -> word.strip().toLowerCase(Locale.ROOT))
                .filter(word -> !word.isEmpty());
    }

    /** HTTP/2 is this door's own business. */
    private static Optional<String> upgrade(Incoming in, Set<String> ofConnection) {
        List<String> wanted = values(in, "upgrade");
        if (wanted.size() != 1 || !ofConnection.contains("upgrade") || !(in.framing() instanceof Framing.None)) {
            return Optional.empty();
        }
        return Optional.of(wanted.getFirst())
                .filter(PROTOCOL.asMatchPredicate())
                .filter(name -> !name.toLowerCase(Locale.ROOT).startsWith("h2"));
    }

    /** Bytes beyond ASCII are written as programs that know the rules would have. */
    private static String target(Incoming in) {
        String target = in.target();
        if (target.equals("*") && in.method().equals("OPTIONS")) {
            return target;
        }
        if (!target.startsWith("/")) {
            throw refusal("its target is no path");
        }
        StringBuilder written = new StringBuilder(target.length());
        for (byte each : target.getBytes(StandardCharsets.UTF_8)) {
            if (each < 0) {
                written.append('%').append(String.format(Locale.ROOT, "%02X", each & 0xff));
            } else if (each <= ' ' || each == 0x7f || each == '#') {
                throw refusal("its target has characters that no target may have");
            } else {
                written.append((char) each);
            }
        }
        return written.toString();
    }

    private static void addFraming(Framing framing, List<Field> fields) {
        switch (framing) {
            case Framing.None() -> {}
            case Framing.Length(long bytes) -> fields.add(new Field("Content-Length", Long.toString(bytes)));
            case Framing.Chunked() -> fields.add(new Field("Transfer-Encoding", CHUNKED));
            case Framing.UntilEnd() -> throw new IllegalStateException("a request does not end with its connection");
        }
    }

    private static void addConnection(boolean trailers, Optional<String> upgrade, List<Field> fields) {
        if (upgrade.isPresent()) {
            fields.add(new Field("Connection", "Upgrade"));
            fields.add(new Field("Upgrade", upgrade.get()));
        } else if (trailers) {
            fields.add(new Field("Connection", "TE"));
            fields.add(new Field("TE", "trailers"));
        }
    }

    private static void addClient(Incoming in, List<Field> fields) {
        String scheme = in.secure() ? "https" : "http";
        fields.add(new Field("X-Forwarded-For", in.remote()));
        fields.add(new Field("X-Forwarded-Proto", scheme));
        fields.add(new Field("X-Forwarded-Host", in.authority()));
        fields.add(new Field("X-Forwarded-Port", port(in.authority(), in.secure())));
        fields.add(new Field("X-Real-IP", in.remote()));
        String node = in.remote().indexOf(':') < 0 ? in.remote() : "\"[" + in.remote() + "]\"";
        fields.add(new Field("Forwarded", "for=" + node + ";host=\"" + in.authority() + "\";proto=" + scheme));
    }

    private static String port(String authority, boolean secure) {
        int colon = authority.indexOf(':');
        return colon >= 0 ? authority.substring(colon + 1) : secure ? "443" : "80";
    }

    private static BoxdException refusal(String why) {
        return new BoxdException(
                ErrorCode.INVALID_ARGUMENT,
                "the request is refused: " + why,
                "Is it sent by a program that knows HTTP?",
                null);
    }
}
