package io.boxd.network;

import java.util.Arrays;
import java.util.Optional;

/**
 * As much of a DNS message as forwarding needs: its head and its one question. The rest is passed on
 * unread.
 *
 * <p>Whatever the bytes are, nothing outside of them is read, and names do not loop: compression in a
 * question is refused.
 */
final class DnsMessage {
    /** Room for a question of any length and an option or two; longer ones are not asked in earnest. */
    static final int LONGEST_QUERY = 1232;

    static final int FORMAT_ERROR = 1;
    static final int SERVER_FAILURE = 2;
    static final int NOT_IMPLEMENTED = 4;

    private static final int HEAD_BYTES = 12;
    private static final int LONGEST_LABEL = 63;
    private static final int LONGEST_NAME = 255;
    private static final int ANSWER_FLAG = 0x80;
    private static final int OPCODE_MASK = 0x78;
    private static final int RECURSION_DESIRED = 0x01;
    private static final int RECURSION_AVAILABLE = 0x80;

    private final byte[] bytes;
    private final int questionEnd;

    private DnsMessage(byte[] bytes, int questionEnd) {
        this.bytes = bytes;
        this.questionEnd = questionEnd;
    }

    /** A message with exactly one question; empty if it is anything else. */
    static Optional<DnsMessage> parse(byte[] bytes) {
        if (bytes.length < HEAD_BYTES || number(bytes, 4) != 1) {
            return Optional.empty();
        }
        int end = questionEnd(bytes);
        return end < 0 ? Optional.empty() : Optional.of(new DnsMessage(bytes, end));
    }

    /** Whether these bytes could be a question at all, so that an error may be sent back. */
    static boolean isQuery(byte[] bytes) {
        return bytes.length >= HEAD_BYTES && (bytes[2] & ANSWER_FLAG) == 0;
    }

    static boolean isStandardQuery(byte[] bytes) {
        return isQuery(bytes) && (bytes[2] & OPCODE_MASK) == 0;
    }

    private static int questionEnd(byte[] bytes) {
        int at = HEAD_BYTES;
        while (at < bytes.length) {
            int label = bytes[at] & 0xff;
            at += 1 + label;
            if (label > LONGEST_LABEL || at - HEAD_BYTES > LONGEST_NAME) {
                return -1;
            }
            if (label == 0) {
                int end = at + 4;
                return end <= bytes.length ? end : -1;
            }
        }
        return -1;
    }

    int id() {
        return number(bytes, 0);
    }

    byte[] withId(int id) {
        byte[] copy = bytes.clone();
        copy[0] = (byte) (id >> 8);
        copy[1] = (byte) id;
        return copy;
    }

    /** Whether this is the answer to that query when it was asked under this id. */
    boolean answers(DnsMessage query, int askedId) {
        return (bytes[2] & ANSWER_FLAG) != 0
                && id() == askedId
                && questionEnd == query.questionEnd
                && sameQuestion(query.bytes);
    }

    private boolean sameQuestion(byte[] other) {
        for (int i = HEAD_BYTES; i < questionEnd; i++) {
            if (lower(bytes[i]) != lower(other[i])) {
                return false;
            }
        }
        return true;
    }

    private static int lower(byte letter) {
        return letter >= 'A' && letter <= 'Z' ? letter + 32 : letter;
    }

    /** An answer that says only what went wrong, with the question if there was one. */
    static byte[] error(byte[] query, int code) {
        Optional<DnsMessage> asked = parse(query);
        int length = asked.map(message -> message.questionEnd).orElse(HEAD_BYTES);
        byte[] answer = Arrays.copyOf(query, length);
        answer[2] = (byte) (ANSWER_FLAG | (query[2] & (OPCODE_MASK | RECURSION_DESIRED)));
        answer[3] = (byte) (RECURSION_AVAILABLE | code);
        answer[4] = 0;
        answer[5] = (byte) (asked.isPresent() ? 1 : 0);
        Arrays.fill(answer, 6, HEAD_BYTES, (byte) 0);
        return answer;
    }

    private static int number(byte[] bytes, int at) {
        return ((bytes[at] & 0xff) << 8) | (bytes[at + 1] & 0xff);
    }
}
