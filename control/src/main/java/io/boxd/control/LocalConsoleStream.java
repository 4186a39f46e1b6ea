package io.boxd.control;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.OutputChannel;
import io.boxd.worker.Boxes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The console of a box of this host.
 *
 * <p>Followed by looking again and again: what is new is what stands behind the end of what was there before.
 */
final class LocalConsoleStream implements ConsoleStream {
    private static final int PIECE_CHARS = 8 * 1024;
    private static final int TAIL_CHARS = 512;

    private final Boxes boxes;
    private final String box;
    private final boolean follow;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Queue<String> pieces = new ArrayDeque<>();
    private String seen = "";
    private boolean looked;

    LocalConsoleStream(Boxes boxes, String box, boolean follow) {
        this.boxes = boxes;
        this.box = box;
        this.follow = follow;
    }

    @Override
    public Happening next(Deadline deadline) {
        while (true) {
            String piece = pieces.poll();
            if (piece != null) {
                ByteBuffer bytes = StandardCharsets.UTF_8.encode(piece);
                return new Happening.Output(OutputChannel.STDOUT, bytes);
            }
            if (looked && !follow) {
                return new Happening.Ended(Optional.empty(), false, Optional.empty());
            }
            if (looked && !pause(deadline)) {
                return new Happening.Nothing();
            }
            look();
        }
    }

    private void look() {
        String now = boxes.console(box);
        String fresh = behind(seen, now);
        for (int at = 0; at < fresh.length(); at += PIECE_CHARS) {
            pieces.add(fresh.substring(at, Math.min(fresh.length(), at + PIECE_CHARS)));
        }
        seen = now;
        looked = true;
    }

    /** What stands in the text behind where the former one ended. */
    static String behind(String before, String now) {
        if (before.isEmpty() || now.equals(before)) {
            return before.isEmpty() ? now : "";
        }
        String tail = before.substring(Math.max(0, before.length() - TAIL_CHARS));
        int at = now.lastIndexOf(tail);
        return at < 0 ? now : now.substring(at + tail.length());
    }

    /** Whether there is time to look again. */
    private boolean pause(Deadline deadline) {
        try {
            if (closed.await(deadline.orSooner(Limits.LOOK).leftNanos(), TimeUnit.NANOSECONDS)) {
                throw new BoxdException(ErrorCode.UNAVAILABLE, "the stream was closed");
            }
            return !deadline.passed();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, "waiting for the console was interrupted", e);
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
