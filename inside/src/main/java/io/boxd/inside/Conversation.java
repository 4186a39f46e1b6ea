package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.common.Json;
import io.boxd.inside.Frame.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One side of one conversation: a request, its answer, and whatever streams both ways meanwhile.
 *
 * <p>Each side sends no more than the other has room for, and room comes back when something is taken: whoever does
 * not take stops the other and costs a window of memory. One thread takes; others may send.
 */
final class Conversation implements AutoCloseable {
    private final Link link;
    private final int id;
    private final int largestText;
    private final boolean begunHere;
    private final ReentrantLock turn = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Queue<Frame> inbox = new ArrayDeque<>();
    private int credit = InsideLimits.WINDOW_BYTES;
    private int room = InsideLimits.WINDOW_BYTES;
    private int taken;
    private boolean otherEnded;
    private boolean stopped;
    private boolean ended;
    private @Nullable BoxdException over;

    Conversation(Link link, int id, int largestText, boolean begunHere) {
        this.link = link;
        this.id = id;
        this.largestText = largestText;
        this.begunHere = begunHere;
    }

    int id() {
        return id;
    }

    /** Another one on the same connection. */
    Conversation sibling() {
        return link.open();
    }

    /** Called by whoever receives; never waits. */
    void received(Frame frame) {
        lock.lock();
        try {
            switch (frame.kind()) {
                case TEXT, TEXT_PART, DATA -> accept(frame);
                case CREDIT -> grow(frame.content());
                case END -> {
                    accept(frame);
                    otherEnded = true;
                }
                case STOP -> stopped = true;
                case FAIL -> over = Failures.read(frame.content());
                case LEAVE -> {
                    over = left();
                    inbox.clear();
                }
                case ALIVE, OPEN -> throw Frame.nonsense("a frame that is not for conversations");
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (frame.kind() == Kind.FAIL || frame.kind() == Kind.LEAVE || (frame.kind() == Kind.END && begunHere)) {
            link.forget(this);
        }
    }

    private void accept(Frame frame) {
        room -= weight(frame);
        boolean empty = frame.kind() == Kind.DATA && !frame.content().hasRemaining();
        if (otherEnded || room < 0 || empty) {
            throw Frame.nonsense("it sends more than there is room for");
        }
        inbox.add(frame);
    }

    /** The end needs no room. */
    private static int weight(Frame frame) {
        return frame.kind() == Kind.END ? 0 : frame.weight();
    }

    private void grow(ByteBuffer content) {
        int more = content.remaining() == Integer.BYTES ? content.getInt() : 0;
        if (more <= 0 || more > InsideLimits.WINDOW_BYTES - credit) {
            throw Frame.nonsense("it gives more room than it has");
        }
        credit += more;
    }

    private static BoxdException left() {
        return new BoxdException(ErrorCode.UNAVAILABLE, "the other side has left");
    }

    /** The link is. */
    void lost(BoxdException reason) {
        lock.lock();
        try {
            if (over == null && !(begunHere && otherEnded)) {
                over = reason;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** What comes next, or nothing by the deadline; throws when the conversation is over. */
    Optional<Message> take(Deadline deadline) {
        return next(deadline).map(frame -> switch (frame.kind()) {
            case END -> new Message.End();
            case DATA -> new Message.Data(frame.content().get(), frame.content());
            case TEXT, TEXT_PART -> new Message.Text(text(frame));
            case ALIVE, OPEN, CREDIT, STOP, FAIL, LEAVE ->
                throw new IllegalStateException("nobody takes " + frame.kind());
        });
    }

    private JsonNode text(Frame first) {
        try (TextInput text = new TextInput(first, this::more, link, largestText)) {
            return Json.parseOwn(text);
        }
    }

    private Frame more(Deadline deadline) {
        return next(deadline).orElseThrow(() -> deadline.exceeded("the rest of a message"));
    }

    private Optional<Frame> next(Deadline deadline) {
        Frame frame;
        int grant = 0;
        lock.lock();
        try {
            long nanos = deadline.leftNanos();
            while (inbox.isEmpty()) {
                throwIfOver();
                if (nanos <= 0) {
                    return Optional.empty();
                }
                nanos = changed.awaitNanos(nanos);
            }
            frame = inbox.remove();
            taken += weight(frame);
            if (taken > InsideLimits.WINDOW_BYTES / 4 && over == null && !otherEnded) {
                grant = taken;
                room += taken;
                taken = 0;
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        } finally {
            lock.unlock();
        }
        if (grant > 0) {
            link.send(Frame.credit(id, grant));
        }
        return Optional.of(frame);
    }

    private void throwIfOver() {
        BoxdException reason = over;
        if (reason != null) {
            throw new BoxdException(reason.code(), String.valueOf(reason.getMessage()), reason.hint(), reason);
        }
    }

    private static BoxdException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new BoxdException(ErrorCode.UNAVAILABLE, "waiting for the other side was interrupted", cause);
    }

    /** Waits for room. */
    void say(JsonNode json) {
        turn.lock();
        try {
            TextOutput text = new TextOutput((kind, content) -> send(new Frame(id, kind, content)));
            Json.write(json, text);
            text.finish();
        } finally {
            turn.unlock();
        }
    }

    /** Waits for room; throws if data are not taken any more. */
    void send(int channel, byte[] bytes, int offset, int length) {
        turn.lock();
        try {
            for (int at = 0; at < length; ) {
                int count = Math.min(length - at, InsideLimits.FRAME_BYTES);
                ByteBuffer content = ByteBuffer.allocate(1 + count)
                        .put((byte) channel)
                        .put(bytes, offset + at, count)
                        .flip();
                send(new Frame(id, Kind.DATA, content));
                at += count;
            }
        } finally {
            turn.unlock();
        }
    }

    /** In turn. */
    private void send(Frame frame) {
        if (ended) {
            throw new BoxdException(ErrorCode.WRONG_STATE, "this side has said that no more comes");
        }
        long nanos = InsideLimits.LONGEST.toNanos();
        lock.lock();
        try {
            while (credit < frame.weight() && !closedTo(frame.kind())) {
                throwIfOver();
                if (nanos <= 0) {
                    throw new BoxdException(ErrorCode.TIMEOUT, "the other side takes nothing");
                }
                nanos = changed.awaitNanos(nanos);
            }
            throwIfOver();
            if (closedTo(frame.kind())) {
                throw new BoxdException(ErrorCode.WRONG_STATE, "the other side takes no more");
            }
            credit -= frame.weight();
        } catch (InterruptedException e) {
            throw interrupted(e);
        } finally {
            lock.unlock();
        }
        link.send(frame);
    }

    /** With the lock held. */
    private boolean closedTo(Kind kind) {
        return (begunHere && otherEnded) || (kind == Kind.DATA && stopped);
    }

    /** No more comes from this side; whoever was asked ends the conversation by it. Once more, it does nothing. */
    void end() {
        turn.lock();
        try {
            if (ended) {
                return;
            }
            ended = true;
            link.send(Frame.of(id, Kind.END));
        } finally {
            turn.unlock();
        }
        if (!begunHere) {
            link.forget(this);
            close(new BoxdException(ErrorCode.UNAVAILABLE, "all was said"));
        }
    }

    /** Takes no more data; all else goes on. */
    void stop() {
        link.send(Frame.of(id, Kind.STOP));
    }

    /** Ends the conversation with a failure. */
    void fail(BoxdException failure) {
        finish(new Frame(id, Kind.FAIL, Failures.write(failure)), failure);
    }

    /** Leaves it, whatever the other side still says; once more, it does nothing. */
    @Override
    public void close() {
        finish(Frame.of(id, Kind.LEAVE), new BoxdException(ErrorCode.UNAVAILABLE, "the stream was closed"));
    }

    private void finish(Frame farewell, BoxdException reason) {
        boolean goesOn = close(reason);
        link.forget(this);
        if (goesOn && !link.isLost()) {
            link.send(farewell);
        }
    }

    /** Whether it was open until now. */
    private boolean close(BoxdException reason) {
        boolean goesOn;
        lock.lock();
        try {
            goesOn = over == null && !(begunHere && otherEnded);
            if (over == null) {
                over = reason;
                inbox.clear();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        return goesOn;
    }
}
