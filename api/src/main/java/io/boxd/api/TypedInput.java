package io.boxd.api;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.control.ExecutionStream;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a client types, on its way to a command: never more than the credit that the client was given. */
final class TypedInput {
    private static final Logger LOG = LoggerFactory.getLogger(TypedInput.class);
    private static final byte[] END = new byte[0];

    private final BlockingQueue<byte[]> pieces = new LinkedBlockingQueue<>();
    private int credit;
    private boolean over;

    /** Called by the reader of the socket; never waits. */
    synchronized void add(byte[] piece) {
        if (piece.length > credit) {
            throw new BoxdException(
                    ErrorCode.INVALID_ARGUMENT,
                    "more input than the credit allows",
                    "Wait for input_credit before sending.",
                    null);
        }
        if (piece.length > 0 && !over) {
            credit -= piece.length;
            pieces.add(piece);
        }
    }

    /** No more will be typed. */
    synchronized void end() {
        if (!over) {
            over = true;
            pieces.add(END);
        }
    }

    /** Nobody types any more; what was not passed on is forgotten. */
    synchronized void close() {
        over = true;
        pieces.clear();
        pieces.add(END);
    }

    private void grant(int bytes, Outgoing outgoing) {
        synchronized (this) {
            if (over) {
                return;
            }
            credit += bytes;
        }
        outgoing.text(Json.object().put("input_credit", bytes));
    }

    /** Passes everything on until there is no more, on a thread of its own. */
    void passOn(ExecutionStream stream, Outgoing outgoing) {
        try {
            grant(ApiLimits.INPUT_WINDOW_BYTES, outgoing);
            for (byte[] piece = pieces.take(); piece.length > 0; piece = pieces.take()) {
                stream.write(piece, 0, piece.length);
                grant(piece.length, outgoing);
            }
            stream.endInput();
        } catch (IOException | BoxdException e) {
            LOG.debug("a command takes no more input", e); // it has ended, or never took any
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
