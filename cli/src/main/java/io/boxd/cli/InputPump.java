package io.boxd.cli;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Reads this process's input into a window and sends it from there, on threads that do not keep the process alive. */
final class InputPump {
    private static final int CHUNK_BYTES = 32 * 1024;

    private final InputStream source;
    private final InputWindow window;
    private final boolean endsWithSource;
    private final @Nullable Escape escape;
    private final Runnable leave;

    /**
     * With an {@link Escape}, {@code leave} is run when it is typed.
     *
     * @param endsWithSource whether the end of the source is the end of the command's input, also for others
     */
    InputPump(InputStream source, InputWindow window, boolean endsWithSource, @Nullable Escape escape, Runnable leave) {
        this.source = source;
        this.window = window;
        this.endsWithSource = endsWithSource;
        this.escape = escape;
        this.leave = leave;
    }

    void start() {
        Thread.ofPlatform().daemon().name("input").start(this::read);
        Thread.ofPlatform().daemon().name("input-sender").start(this::send);
    }

    private void send() {
        try {
            window.send();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void read() {
        byte[] chunk = new byte[CHUNK_BYTES];
        byte[] kept = new byte[2 * CHUNK_BYTES];
        try {
            for (int count = source.read(chunk); count >= 0; count = source.read(chunk)) {
                if (escape == null) {
                    window.add(chunk, 0, count);
                    continue;
                }
                int keys = escape.filter(chunk, count, kept, 0);
                window.add(kept, 0, keys < 0 ? ~keys : keys);
                if (keys < 0) {
                    leave.run();
                    return;
                }
            }
        } catch (IOException e) {
            // Input that cannot be read has ended.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (endsWithSource) {
            window.end();
        }
    }
}
