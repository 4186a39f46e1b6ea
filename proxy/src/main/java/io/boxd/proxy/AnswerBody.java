package io.boxd.proxy;

import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.util.List;

/** The body of a box's answer, whichever way its end is known; for one thread. */
final class AnswerBody {
    private static final int HEX = 16;
    private static final int LONGEST_SIZE = 15;
    private static final int LONGEST_LINE = 4096;

    private final WireInput in;
    private final Framing framing;
    private long left;
    private boolean ended;
    private List<Field> trailers = List.of();

    AnswerBody(WireInput in, Framing framing) {
        this.in = in;
        this.framing = framing;
        this.left = framing instanceof Framing.Length(long bytes) ? bytes : 0;
        this.ended = framing instanceof Framing.None;
    }

    /** The next bytes, as soon as there are any; -1 at the end. */
    int read(byte[] target) throws IOException {
        if (ended) {
            return -1;
        }
        return switch (framing) {
            case Framing.None() -> -1;
            case Framing.Length(long _) -> readCounted(target);
            case Framing.Chunked() -> readChunked(target);
            case Framing.UntilEnd() -> {
                int count = in.read(target, 0, target.length);
                ended = count < 0;
                yield count;
            }
        };
    }

    private int readCounted(byte[] target) throws IOException {
        if (left == 0) {
            ended = true;
            return -1;
        }
        return readSome(target);
    }

    private int readSome(byte[] target) throws IOException {
        int count = in.read(target, 0, (int) Math.min(target.length, left));
        if (count < 0) {
            throw new EOFException("the answer broke off");
        }
        left -= count;
        return count;
    }

    private int readChunked(byte[] target) throws IOException {
        if (left == 0) {
            left = chunkSize(in.line(LONGEST_LINE));
            if (left == 0) {
                trailers = in.fields();
                ended = true;
                return -1;
            }
        }
        int count = readSome(target);
        if (left == 0 && !in.line(LONGEST_LINE).isEmpty()) {
            throw new ProtocolException("a chunk is longer than it says");
        }
        return count;
    }

    private static long chunkSize(String line) throws ProtocolException {
        int end = line.indexOf(';');
        String size = (end < 0 ? line : line.substring(0, end)).strip();
        boolean hex = !size.isEmpty()
                && size.length() <= LONGEST_SIZE
                && size.chars().allMatch(each -> Character.digit(each, HEX) >= 0 && each < 0x80);
        if (!hex) {
            throw new ProtocolException("a chunk has no size");
        }
        return Long.parseLong(size, HEX);
    }

    /** Known once the end has come. */
    List<Field> trailers() {
        return trailers;
    }

    /** Whether all of it was read. */
    boolean ended() {
        return ended || (framing instanceof Framing.Length && left == 0);
    }
}
