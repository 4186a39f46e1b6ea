package io.boxd.ssh;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Makes lines of the keys that somebody presses, as a terminal does: shows them, lets the last ones be taken back, and
 * tells Ctrl-C and Ctrl-D.
 */
final class TypedKeys implements InputTaker {
    private static final int INTERRUPT = 3;
    private static final int END = 4;
    private static final int ERASE = 127;
    private static final int BACKSPACE = 8;
    private static final int ERASE_LINE = 21;
    private static final int FIRST_SHOWN = 32;
    private static final int LONGEST_LINE = 4096;
    private static final byte[] WIPE = {BACKSPACE, ' ', BACKSPACE};
    private static final byte[] NEW_LINE = {'\r', '\n'};

    private final InputTaker lines;
    private final OutputStream screen;
    private final Runnable interrupt;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private boolean ended;

    /** @param lines gets each line when it is finished */
    TypedKeys(InputTaker lines, OutputStream screen, Runnable interrupt) {
        this.lines = lines;
        this.screen = screen;
        this.interrupt = interrupt;
    }

    @Override
    public void take(byte[] bytes, int offset, int length) throws IOException {
        for (int i = offset; i < offset + length; i++) {
            key(bytes[i] & 0xFF);
        }
        screen.flush();
    }

    private void key(int key) throws IOException {
        switch (key) {
            case INTERRUPT -> {
                line.reset();
                show(new byte[] {'^', 'C'});
                show(NEW_LINE);
                interrupt.run();
            }
            case END -> {
                if (line.size() == 0) {
                    finish();
                } else {
                    pass();
                }
            }
            case ERASE, BACKSPACE -> erase();
            case ERASE_LINE -> {
                while (line.size() > 0) {
                    erase();
                }
            }
            case '\r', '\n' -> {
                show(NEW_LINE);
                line.write('\n');
                pass();
            }
            default -> add(key);
        }
    }

    private void add(int key) throws IOException {
        if (line.size() < LONGEST_LINE) {
            line.write(key);
            if (key >= FIRST_SHOWN) {
                show(new byte[] {(byte) key});
            }
        }
    }

    /** One character, of which the last byte is no continuation. */
    private void erase() throws IOException {
        byte[] typed = line.toByteArray();
        int left = typed.length;
        if (left == 0) {
            return;
        }
        do {
            left--;
        } while (left > 0 && (typed[left] & 0xC0) == 0x80);
        line.reset();
        line.write(typed, 0, left);
        show(WIPE);
    }

    private void show(byte[] text) throws IOException {
        screen.write(text);
    }

    private void pass() throws IOException {
        byte[] typed = line.toByteArray();
        line.reset();
        if (!ended) {
            lines.take(typed, 0, typed.length);
        }
    }

    private void finish() throws IOException {
        if (!ended) {
            ended = true;
            lines.end();
        }
    }

    /** The client sends no more. */
    @Override
    public void end() throws IOException {
        if (line.size() > 0) {
            pass();
        }
        finish();
    }
}
