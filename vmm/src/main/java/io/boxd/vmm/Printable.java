package io.boxd.vmm;

/** Text from inside a machine, made safe to print: no control characters, bounded length. */
final class Printable {
    private static final int MAX_CHARS = 500;

    private Printable() {}

    static String of(String hostile) {
        StringBuilder safe = new StringBuilder();
        hostile.codePoints().limit(MAX_CHARS).forEach(c -> {
            if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT) {
                safe.append("\\u%04x".formatted(c));
            } else {
                safe.appendCodePoint(c);
            }
        });
        return hostile.length() > MAX_CHARS ? safe.append('…').toString() : safe.toString();
    }
}
