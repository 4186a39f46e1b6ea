package io.boxd.console;

import io.boxd.verbs.Harmless;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A line on the terminal that shows that something goes on, from its second second until it is over. */
public final class Waiting implements AutoCloseable {
    private static final String TURNS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
    private static final long PATIENCE_MILLIS = 1_000;
    private static final long TURN_MILLIS = 120;
    private static final int LONGEST_TEXT = 60;
    private static final String ERASE = "\r\u001b[K";

    private final Console console;
    private final String what;
    private final CountDownLatch over = new CountDownLatch(1);
    private final long startNanos = System.nanoTime();
    private boolean drawn;
    private boolean closed;

    private Waiting(Console console, String what) {
        this.console = console;
        this.what = Harmless.cut(what, LONGEST_TEXT);
    }

    /** Nothing is shown where nobody looks. */
    public static Waiting on(Console console, String what) {
        Waiting waiting = new Waiting(console, what);
        if (console.isErrorTerminal() && !console.isPlain()) {
            Thread.ofPlatform().daemon().name("waiting").start(waiting::show);
        }
        return waiting;
    }

    private void show() {
        try {
            boolean ended = over.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            for (int turn = 0; !ended; turn++) {
                draw(turn);
                ended = over.await(TURN_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Nothing is drawn once it is over, whoever comes first. */
    private synchronized void draw(int turn) {
        if (!closed) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos);
            console.tellRaw(ERASE + TURNS.charAt(turn % TURNS.length()) + " " + what + " " + seconds + "s");
            drawn = true;
        }
    }

    /** The line vanishes; may be called more than once. */
    @Override
    public synchronized void close() {
        over.countDown();
        if (drawn && !closed) {
            console.tellRaw(ERASE);
        }
        closed = true;
    }
}
