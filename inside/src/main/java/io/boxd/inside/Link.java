package io.boxd.inside;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Many conversations between a door and control over one connection. When it is lost all of them are over, and when
 * the other side falls silent it is lost.
 *
 * <p>Whoever receives never sends and never waits: what comes is bounded by the windows of conversations, so the two
 * sides cannot block each other.
 */
final class Link {
    private static final Logger LOG = LoggerFactory.getLogger(Link.class);

    private final Wire wire;
    private final @Nullable Consumer<Conversation> visitors;
    private final ReentrantLock sending = new ReentrantLock(true);
    private final ConcurrentMap<Integer, Conversation> conversations = new ConcurrentHashMap<>();
    private final AtomicInteger last = new AtomicInteger();
    private final AtomicReference<@Nullable BoxdException> lost = new AtomicReference<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final AtomicLong collected = new AtomicLong();
    private volatile long heardNanos = System.nanoTime();

    private Link(Wire wire, @Nullable Consumer<Conversation> visitors) {
        this.wire = wire;
        this.visitors = visitors;
    }

    /** The side that begins conversations. */
    static Link asking(Wire wire) {
        return begun(new Link(wire, null), "door");
    }

    /** The side that is asked; each conversation gets a thread of its own. */
    static Link answering(Wire wire, Consumer<Conversation> visitors) {
        return begun(new Link(wire, visitors), "control");
    }

    private static Link begun(Link link, String name) {
        Thread.ofVirtual().name("alive-" + name).start(link::watch);
        return link;
    }

    /** Begins a conversation. */
    Conversation open() {
        Conversation conversation = new Conversation(this, last.incrementAndGet(), InsideLimits.ANSWER_BYTES, true);
        conversations.put(conversation.id(), conversation);
        BoxdException reason = lost.get();
        if (reason != null) {
            forget(conversation);
            throw reason;
        }
        send(Frame.of(conversation.id(), Frame.Kind.OPEN));
        return conversation;
    }

    boolean isLost() {
        return lost.get() != null;
    }

    void send(Frame frame) {
        BoxdException reason = lost.get();
        if (reason != null) {
            throw reason;
        }
        sending.lock();
        try {
            wire.send(frame.write());
        } catch (IOException e) {
            lose("sending failed", e);
            throw brokenOff(e);
        } finally {
            sending.unlock();
        }
    }

    /** Takes what has come; whoever sends nonsense is left. */
    void received(ByteBuffer message) {
        heardNanos = System.nanoTime();
        try {
            take(Frame.read(message));
        } catch (BoxdException e) {
            lose(String.valueOf(e.getMessage()), e);
        }
    }

    private void take(Frame frame) {
        switch (frame.kind()) {
            case ALIVE -> {}
            case OPEN -> welcome(frame.conversation());
            case TEXT_PART, TEXT, DATA, CREDIT, END, STOP, FAIL, LEAVE -> {
                // One that is over here may still be spoken to by the other side, which does not know it yet.
                Conversation conversation = conversations.get(frame.conversation());
                if (conversation != null) {
                    conversation.received(frame);
                }
            }
        }
    }

    private void welcome(int id) {
        if (visitors == null || id == 0) {
            throw Frame.nonsense("it begins a conversation");
        }
        Conversation conversation = new Conversation(this, id, InsideLimits.REQUEST_BYTES, false);
        boolean many = conversations.size() >= InsideLimits.CONVERSATIONS;
        if (!many && conversations.putIfAbsent(id, conversation) != null) {
            throw Frame.nonsense("a conversation begins twice");
        }
        Thread.ofVirtual().name("inside-", id).start(() -> {
            if (many) {
                conversation.fail(new BoxdException(
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "this door has " + InsideLimits.CONVERSATIONS + " requests and streams open",
                        "Try again when some of them have ended.",
                        null));
            } else {
                visitors.accept(conversation);
            }
        });
    }

    /** Texts that are not complete yet grow by so many bytes; a door may not have us collect without end. */
    void collects(int bytes) {
        if (collected.addAndGet(bytes) > InsideLimits.REQUESTS_BYTES && visitors != null && bytes > 0) {
            throw new BoxdException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the requests of this door are too large together",
                    "Try again when some of them were answered.",
                    null);
        }
    }

    void forget(Conversation conversation) {
        conversations.remove(conversation.id(), conversation);
    }

    private void watch() {
        try {
            while (!over.await(InsideLimits.ALIVE.toNanos(), TimeUnit.NANOSECONDS)) {
                if (System.nanoTime() - heardNanos > InsideLimits.SILENCE.toNanos()) {
                    lose("nothing was heard for " + InsideLimits.SILENCE.toSeconds() + " seconds", null);
                } else {
                    send(Frame.of(0, Frame.Kind.ALIVE));
                }
            }
        } catch (BoxdException e) {
            LOG.debug("a link ended while it was watched", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The connection is of no use any more: everybody who waits learns it. */
    void lose(String why, @Nullable Throwable cause) {
        BoxdException reason = brokenOff(cause);
        if (!lost.compareAndSet(null, reason)) {
            return;
        }
        LOG.info("the connection between a door and control is over: {}", why);
        over.countDown();
        wire.cut();
        conversations.values().forEach(conversation -> conversation.lost(reason));
        conversations.clear();
    }

    private static BoxdException brokenOff(@Nullable Throwable cause) {
        return new BoxdException(
                ErrorCode.UNAVAILABLE,
                "the connection between this door and control broke off",
                "What was asked for may have been done: look before you ask again.",
                cause);
    }
}
