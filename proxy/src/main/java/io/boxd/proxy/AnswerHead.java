package io.boxd.proxy;

import java.io.IOException;
import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The head of a box's answer.
 *
 * @param lasting whether the box lets its connection be used for another request
 */
record AnswerHead(int status, List<Field> fields, Framing framing, boolean lasting) {
    static final int CONTINUE = 100;
    static final int SWITCHING = 101;
    private static final int FIRST_FINAL = 200;
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;
    private static final int LAST = 999;
    private static final int STATUS_DIGITS = 3;

    AnswerHead {
        fields = List.copyOf(fields);
    }

    /** Whether another one follows. */
    boolean interim() {
        return status < FIRST_FINAL && status != SWITCHING;
    }

    /** Reads one; what can be read in two ways fails. */
    static AnswerHead read(WireInput in, String method) throws IOException {
        String line = in.line(ProxyLimits.HEAD_BYTES);
        boolean newer = line.startsWith("HTTP/1.1 ");
        if (!newer && !line.startsWith("HTTP/1.0 ")) {
            throw new ProtocolException("this is not HTTP");
        }
        int status = status(line.substring("HTTP/1.1 ".length()));
        List<Field> fields = in.fields();
        boolean bodiless =
                status < FIRST_FINAL || status == NO_CONTENT || status == NOT_MODIFIED || method.equals("HEAD");
        Framing framing = framing(fields);
        Framing real = bodiless ? new Framing.None() : framing;
        boolean lasting = newer ? !says(fields, "close") : says(fields, "keep-alive");
        return new AnswerHead(
                status, fields, real, lasting && !(real instanceof Framing.UntilEnd) && status != SWITCHING);
    }

    private static int status(String text) throws ProtocolException {
        boolean wellFormed = text.length() >= STATUS_DIGITS
                && text.substring(0, STATUS_DIGITS).chars().allMatch(Character::isDigit)
                && (text.length() == STATUS_DIGITS || text.charAt(STATUS_DIGITS) == ' ');
        int status = wellFormed ? Integer.parseInt(text.substring(0, STATUS_DIGITS)) : 0;
        if (status < CONTINUE || status > LAST) {
            throw new ProtocolException("an answer has no status");
        }
        return status;
    }

    private static Framing framing(List<Field> fields) throws ProtocolException {
        Set<String> lengths = new HashSet<>();
        List<String> codings = new ArrayList<>();
        for (Field field : fields) {
            if (field.is("content-length")) {
                lengths.add(field.value());
            } else if (field.is("transfer-encoding")) {
                codings.add(field.value().toLowerCase(Locale.ROOT));
            }
        }
        if (!codings.isEmpty()) {
            if (!codings.equals(List.of("chunked")) || !lengths.isEmpty()) {
                throw new ProtocolException("an answer says in two ways how long it is");
            }
            return new Framing.Chunked();
        }
        if (lengths.isEmpty()) {
            return new Framing.UntilEnd();
        }
        String length = lengths.iterator().next();
        boolean number = lengths.size() == 1
                && length.length() <= 18
                && !length.isEmpty()
                && length.chars().allMatch(each -> each >= '0' && each <= '9');
        if (!number) {
            throw new ProtocolException("the length of an answer is no number");
        }
        return new Framing.Length(Long.parseLong(length));
    }

    private static boolean says(List<Field> fields, String word) {
        return connectionWords(fields).contains(word);
    }

    private static Set<String> connectionWords(List<Field> fields) {
        Set<String> words = new HashSet<>();
        for (Field field : fields) {
            if (field.is("connection")) {
                for (String word : field.value().split(",", -1)) {
                    words.add(word.strip().toLowerCase(Locale.ROOT));
                }
            }
        }
        return words;
    }

    /** What of it is for the visitor. */
    List<Field> forVisitor(CookieRule cookies) {
        Set<String> ofConnection = connectionWords(fields);
        List<Field> kept = new ArrayList<>(fields.size());
        for (Field field : fields) {
            String plain = FieldNames.plain(field.name());
            boolean said = ofConnection.contains(field.name().toLowerCase(Locale.ROOT));
            boolean inside = FieldNames.staysInside(plain) || (said && !plain.equals("content-length"));
            boolean tossed = field.is("set-cookie") && !cookies.allows(field.value());
            if (!inside && !tossed) {
                kept.add(field);
            }
        }
        return kept;
    }
}
