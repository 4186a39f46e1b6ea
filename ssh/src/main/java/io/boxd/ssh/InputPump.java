package io.boxd.ssh;

import io.boxd.common.BoxdException;
import java.io.IOException;
import java.io.InputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings what a client sends to whoever takes it, on a thread of its own, until one of them has enough. */
final class InputPump {
    private static final Logger LOG = LoggerFactory.getLogger(InputPump.class);
    private static final int CHUNK_BYTES = 32 * 1024;

    private InputPump() {}

    static void start(InputStream input, InputTaker taker) {
        Thread.ofVirtual().name("ssh-input").start(() -> run(input, taker));
    }

    private static void run(InputStream input, InputTaker taker) {
        byte[] chunk = new byte[CHUNK_BYTES];
        try {
            for (int count = input.read(chunk); count >= 0; count = input.read(chunk)) {
                taker.take(chunk, 0, count);
            }
            taker.end();
        } catch (IOException | BoxdException e) {
            LOG.debug("no more input is passed on", e); // the command has ended, or its client has left
        }
    }
}
