package io.boxd.vmm;

/** Text from inside a machine, made safe to print: one line, no control characters, bounded length. */
final class Printable {
    private static final int MAX_CHARS = 500;

    private Printable() {}

    static String of(String hostile) {
        StringBuilder safe = new StringBuilder();
        hostile.codePoints().limit(MAX_CHARS).forEach(c -> {
            if (plain(c)) {
                safe.appendCodePoint(c);
            } else {
                safe.append("\\u%04x".formatted(c));
            }
        });
        boolean cut = hostile.codePointCount(0, hostile.length()) > MAX_CHARS;
        return cut ? safe.append('…').toString() : safe.toString();
    }

    private static boolean plain(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }
}
