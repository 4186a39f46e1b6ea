package io.boxd.cli;

/**
 * Finds {@code ~.} at the start of a line among the keys, as {@code ssh} has it: the way out of a terminal whose every
 * other key belongs to the box. {@code ~~} types one tilde.
 */
final class Escape {
    private enum State {
        LINE_START,
        TILDE,
        /** Within what the terminal itself says when a shell asks it where the cursor is. */
        REPORT,
        WITHIN
    }

    private static final byte ESCAPE = 27;

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
            if (state == State.TILDE && key == '.') {
                return ~count;
            }
            if (state == State.LINE_START && key == '~') {
                state = State.TILDE;
                continue;
            }
            if (state == State.TILDE && key != '~') {
                into[offset + count++] = '~';
            }
            into[offset + count++] = key;
            state = after(key);
        }
        return count;
    }

    private State after(byte key) {
        if (key == '\r' || key == '\n') {
            return State.LINE_START;
        }
        return switch (state) {
            case LINE_START -> key == ESCAPE ? State.REPORT : State.WITHIN;
            case REPORT -> report(key);
            case TILDE, WITHIN -> State.WITHIN;
        };
    }

    /** Nobody has typed a report: the line is as empty after it as before. */
    private static State report(byte key) {
        if (key == '[' || key == ';' || (key >= '0' && key <= '9')) {
            return State.REPORT;
        }
        return key == 'R' ? State.LINE_START : State.WITHIN;
    }
}
