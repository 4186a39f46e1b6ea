package io.boxd.cli;

/**
 * Finds {@code ~.} at the start of a line among the keys, as {@code ssh} has it: the way out of a terminal whose every
 * other key belongs to the box. {@code ~~} types one tilde.
 */
final class Escape {
    private enum State {
        LINE_START,
        TILDE,
        WITHIN
    }

    private State state = State.LINE_START;

    /**
     * Copies the keys that belong to the box.
     *
     * @return how many they are, or one's complement of that if the way out came behind them
     */
    int filter(byte[] keys, int length, byte[] into, int offset) {
        int count = 0;
        for (int i = 0; i < length; i++) {
            byte key = keys[i];
            if (state == State.TILDE) {
                if (key == '.') {
                    return ~count;
                }
                if (key != '~') {
                    into[offset + count++] = '~';
                }
                into[offset + count++] = key;
                state = isLineEnd(key) ? State.LINE_START : State.WITHIN;
            } else if (state == State.LINE_START && key == '~') {
                state = State.TILDE;
            } else {
                into[offset + count++] = key;
                state = isLineEnd(key) ? State.LINE_START : State.WITHIN;
            }
        }
        return count;
    }

    private static boolean isLineEnd(byte key) {
        return key == '\r' || key == '\n';
    }
}
