package io.boxd.verbs;

/**
 * Text from inside a box, made fit for a terminal and a table: no escapes, no line ends, nothing that turns the
 * direction of writing or hides.
 */
public final class Harmless {
    private static final int REPLACEMENT = 0xFFFD;
    private static final String CUT = "…";

    private Harmless() {}

    /** The text on one line. */
    public static String line(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().map(Harmless::harmless).forEach(line::appendCodePoint);
        return line.toString();
    }

    /** The text on one line, cut so that it takes at most so many columns. */
    public static String cut(String text, int columns) {
        // What is longer than this is cut in any case; do not look at megabytes.
        String start = text.length() > 4 * columns + 4 ? text.substring(0, 4 * columns + 4) : text;
        String line = line(start);
        if (start.length() == text.length() && columns(line) <= columns) {
            return line;
        }
        StringBuilder kept = new StringBuilder();
        int used = 0;
        for (int i = 0; i < line.length(); ) {
            int codePoint = line.codePointAt(i);
            int width = width(codePoint);
            if (used + width > columns - 1) {
                break;
            }
            kept.appendCodePoint(codePoint);
            used += width;
            i += Character.charCount(codePoint);
        }
        return columns < 1 ? "" : kept + CUT;
    }

    /** How many columns of a terminal the harmless text takes. */
    public static int columns(String line) {
        return line.codePoints().map(Harmless::width).sum();
    }

    private static int harmless(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL -> codePoint == '\n' || codePoint == '\t' || codePoint == '\r' ? ' ' : REPLACEMENT;
            case Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SPACE_SEPARATOR -> ' ';
            case Character.FORMAT,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.PRIVATE_USE,
                    Character.NON_SPACING_MARK,
                    Character.ENCLOSING_MARK -> REPLACEMENT;
            default -> codePoint;
        };
    }

    /** East Asian wide characters and pictures take two columns. */
    private static int width(int codePoint) {
        if (codePoint < 0x1100) {
            return 1;
        }
        boolean wide = codePoint <= 0x115F
                || (codePoint >= 0x2E80 && codePoint <= 0xA4CF && codePoint != 0x303F)
                || (codePoint >= 0xAC00 && codePoint <= 0xD7A3)
                || (codePoint >= 0xF900 && codePoint <= 0xFAFF)
                || (codePoint >= 0xFE30 && codePoint <= 0xFE6F)
                || (codePoint >= 0xFF00 && codePoint <= 0xFF60)
                || (codePoint >= 0xFFE0 && codePoint <= 0xFFE6)
                || (codePoint >= 0x1F300 && codePoint <= 0x1FAFF)
                || (codePoint >= 0x20000 && codePoint <= 0x3FFFD);
        return wide ? 2 : 1;
    }
}
