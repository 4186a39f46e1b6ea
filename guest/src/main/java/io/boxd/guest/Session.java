package io.boxd.guest;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One session on one channel: a thread that reads, a thread that writes, and who waits for what.
 *
 * <p>The reader never waits for anything but the channel, so a slow caller cannot hold up others.
 */
final class Session {
    private static final int READ_BYTES = 64 * 1024;
    private static final int MAX_CONVERSATIONS = 4096;
    private static final int EVENTS = 0;

    private final ByteChannel channel;
    private final byte[] nonce = newNonce();
    private final FrameEncoder encoder = new FrameEncoder(tag());
    private final Outbox outbox = new Outbox(encoder);
    private final Map<Integer, Conversation> conversations = new ConcurrentHashMap<>();
    private final AtomicInteger nextStream = new AtomicInteger(1);
    private final Reply<AgentFacts> answer = new Reply<>();
    private final AtomicReference<@Nullable BoxdException> failure = new AtomicReference<>();

    Session(ByteChannel channel) {
        this.channel = channel;
    }

    void start() {
        Thread.ofVirtual().name("agent-reader").start(this::readAll);
        Thread.ofVirtual().name("agent-writer").start(this::writeAll);
    }

    AgentFacts awaitAnswer(Deadline deadline) {
        return answer.await(deadline, "the machine's agent");
    }

    boolean isOpen() {
        return failure.get() == null;
    }

    FrameEncoder encoder() {
        return encoder;
    }

    Outbox outbox() {
        return outbox;
    }

    /** A number that no other conversation of this session has or had. */
    int newStream() {
        int stream = nextStream.getAndIncrement();
        if (stream <= 0 || conversations.size() >= MAX_CONVERSATIONS) {
            throw new BoxdException(ErrorCode.RESOURCE_EXHAUSTED, "too many requests to one machine's agent");
        }
        return stream;
    }

    /** Begins a conversation: its messages may come as soon as its frames have left. */
    void begin(int stream, Conversation conversation, List<byte[]> frames, Deadline deadline, String what) {
        conversations.put(stream, conversation);
        BoxdException reason = failure.get();
        if (reason != null) {
            conversation.gone(reason);
        }
        try {
            outbox.request(frames, deadline, what);
        } catch (InterruptedException e) {
            conversations.remove(stream);
            Thread.currentThread().interrupt();
            throw new BoxdException(ErrorCode.UNAVAILABLE, what + " was interrupted", e);
        } catch (BoxdException e) {
            conversations.remove(stream);
            throw e;
        }
    }

    /** Asks for something that has one answer, and waits for it. */
    <T> T ask(Call<T> call, int type, byte[] payload, Deadline deadline, String what) {
        int stream = newStream();
        begin(stream, call, List.of(encoder.frame(type, stream, payload)), deadline, what);
        try {
            return call.await(deadline, what);
        } finally {
            forget(stream);
        }
    }

    /** Whoever takes the messages that belong to no request; before the session starts. */
    void listen(Conversation events) {
        conversations.put(EVENTS, events);
    }

    /** Messages of this stream are dropped from now on. */
    void forget(int stream) {
        conversations.remove(stream);
    }

    void close(String reason) {
        fail(new BoxdException(ErrorCode.UNAVAILABLE, "the machine's agent is gone: " + reason));
    }

    private void writeAll() {
        try {
            write(ByteBuffer.allocate(Wire.PREAMBLE_BYTES));
            byte[] hello = new PayloadWriter().bytes(nonce).u16(Wire.VERSION).toBytes();
            write(ByteBuffer.wrap(encoder.frame(Wire.HELLO, 0, hello)));
            while (true) {
                write(outbox.take());
            }
        } catch (IOException e) {
            close("writing failed: " + e.getMessage());
        } catch (BoxdException e) {
            // The session has ended; whoever ended it has said why.
            return;
        } catch (InterruptedException e) {
            close("its writer was interrupted");
        }
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private void readAll() {
        try {
            ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES);
            AckScanner scanner = new AckScanner(nonce);
            do {
                read(buffer);
            } while (!scanner.feed(buffer));
            FrameDecoder decoder = new FrameDecoder(tag());
            decoder.feed(scanner.head(), this::take);
            while (true) {
                decoder.feed(buffer, this::take);
                read(buffer);
            }
        } catch (ProtocolException e) {
            close(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            close("the connection ended: " + e.getMessage());
        }
    }

    private void read(ByteBuffer buffer) throws IOException {
        buffer.clear();
        int count = channel.read(buffer);
        if (count < 0) {
            throw new IOException("nothing more to read");
        }
        buffer.flip();
    }

    private void take(Frame frame) throws ProtocolException {
        if (!answer.isDone()) {
            takeAnswer(frame);
            return;
        }
        AgentMessage message = AgentMessage.parse(frame);
        if (message instanceof AgentMessage.Fault fault) {
            throw new ProtocolException("it gave up the session because " + fault.reason());
        }
        // A conversation that its caller has given up may still get messages.
        Conversation conversation = conversations.get(frame.stream());
        if (conversation != null && conversation.accept(message)) {
            conversations.remove(frame.stream());
        }
    }

    private void takeAnswer(Frame frame) throws ProtocolException {
        if (frame.type() != Wire.HELLO_ACK) {
            throw new ProtocolException("its first frame is no answer");
        }
        PayloadReader reader = new PayloadReader(frame.payload());
        reader.bytes(Wire.NONCE_BYTES);
        AgentFacts facts = AgentFacts.parse(reader);
        if (facts.protocolVersion() != Wire.VERSION) {
            throw new ProtocolException(
                    "it speaks version " + facts.protocolVersion() + " and not version " + Wire.VERSION);
        }
        answer.complete(facts);
    }

    private void fail(BoxdException reason) {
        if (!failure.compareAndSet(null, reason)) {
            return;
        }
        answer.fail(reason);
        outbox.fail(reason);
        try {
            channel.close();
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
        conversations.values().forEach(conversation -> conversation.gone(reason));
        conversations.clear();
    }

    private int tag() {
        return ByteBuffer.wrap(nonce).getInt(0);
    }

    /** The first four bytes become the tag of every frame, and a zero there could come from padding. */
    private static byte[] newNonce() {
        byte[] nonce = new byte[Wire.NONCE_BYTES];
        SecureRandom random = new SecureRandom();
        do {
            random.nextBytes(nonce);
        } while (nonce[0] == 0 || nonce[1] == 0 || nonce[2] == 0 || nonce[3] == 0);
        return nonce;
    }
}
