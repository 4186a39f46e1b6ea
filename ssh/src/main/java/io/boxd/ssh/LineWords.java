package io.boxd.ssh;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.verbs.CommandLine;
import io.boxd.verbs.ParameterType;
import io.boxd.verbs.Request;
import io.boxd.verbs.Said;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes a line apart that a client sent as one text, as clients of SSH do: they put blanks between words and forget
 * which were quoted.
 *
 * <p>Words are as in a shell, with quotes and backslashes and nothing else. A command for a box is not taken apart:
 * from its first word on, the text goes to the box's shell as it was sent; only where all of it is one quoted word, the
 * quotes are taken off.
 */
final class LineWords {
    /** A word, and where it began in the line. */
    private record Word(String text, int start) {}

    private final String line;
    private final List<Word> words = new ArrayList<>();
    private boolean open;

    private LineWords(String line) {
        this.line = line;
        split();
    }

    /** What the line says; throws if nothing that makes sense. */
    static Said parse(String line, CommandLine verbs) {
        LineWords taken = new LineWords(line);
        List<String> all = taken.words.stream().map(Word::text).toList();
        Said said = verbs.parse(all);
        int command = commandStart(said, all.size());
        if (command < 0) {
            if (taken.open) {
                throw unclosed();
            }
            return said;
        }
        List<String> told = new ArrayList<>(all.subList(0, command));
        told.add(taken.command(command));
        return verbs.parse(told);
    }

    private static BoxdException unclosed() {
        return new BoxdException(
                ErrorCode.INVALID_ARGUMENT, "a quote is not closed", "Close it, or put a backslash before it.", null);
    }

    /** The words, for proposals: the last one is that which is being typed. */
    static List<String> begun(String line) {
        LineWords taken = new LineWords(line);
        List<String> words =
                new ArrayList<>(taken.words.stream().map(Word::text).toList());
        if (words.isEmpty() || (!taken.open && Character.isWhitespace(line.charAt(line.length() - 1)))) {
            words.add("");
        }
        return words;
    }

    /** Which word is the first of a command for a box; none: -1. */
    private static int commandStart(Said said, int words) {
        if (!(said instanceof Said.Do(Request request))) {
            return -1;
        }
        return request.verb().words().stream()
                .filter(word -> word.type() == ParameterType.WORDS)
                .map(word -> request.values().get(word.field()))
                .filter(List.class::isInstance)
                .mapToInt(command -> words - ((List<?>) command).size())
                .findFirst()
                .orElse(-1);
    }

    private String command(int first) {
        Word word = words.get(first);
        boolean alone = first == words.size() - 1 && !open;
        return alone ? word.text() : line.substring(word.start()).strip();
    }

    private void split() {
        int at = 0;
        while (at < line.length()) {
            if (Character.isWhitespace(line.charAt(at))) {
                at++;
            } else {
                at = word(at);
            }
        }
    }

    /** Reads one word and gives the place behind it. */
    private int word(int start) {
        StringBuilder word = new StringBuilder();
        int at = start;
        while (at < line.length() && !Character.isWhitespace(line.charAt(at))) {
            char next = line.charAt(at);
            at = switch (next) {
                case '\'' -> quoted(at + 1, word);
                case '"' -> doublyQuoted(at + 1, word);
                case '\\' -> escaped(at + 1, word);
                default -> {
                    word.append(next);
                    yield at + 1;
                }
            };
        }
        words.add(new Word(word.toString(), start));
        return at;
    }

    private int quoted(int start, StringBuilder word) {
        int end = line.indexOf('\'', start);
        open |= end < 0;
        word.append(line, start, end < 0 ? line.length() : end);
        return end < 0 ? line.length() : end + 1;
    }

    private int doublyQuoted(int start, StringBuilder word) {
        int at = start;
        while (at < line.length() && line.charAt(at) != '"') {
            boolean escape =
                    line.charAt(at) == '\\' && at + 1 < line.length() && "\"\\$`".indexOf(line.charAt(at + 1)) >= 0;
            word.append(line.charAt(escape ? at + 1 : at));
            at += escape ? 2 : 1;
        }
        open |= at >= line.length();
        return Math.min(line.length(), at + 1);
    }

    private int escaped(int start, StringBuilder word) {
        if (start < line.length()) {
            word.append(line.charAt(start));
        }
        return Math.min(line.length(), start + 1);
    }
}
