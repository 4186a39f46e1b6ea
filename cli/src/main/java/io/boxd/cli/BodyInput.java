package io.boxd.cli;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** The content of an answer; one that breaks off is an error, never a shorter content. */
final class BodyInput extends InputStream {
    private static final int LONGEST_LINE = 1024;

    private final InputStream input;
    private final boolean chunked;
    /** Of the content, or of the chunk that is being read. */
    private long left;

    private boolean firstChunk = true;
    private boolean over;

    private BodyInput(InputStream input, boolean chunked, long left) {
        this.input = input;
        this.chunked = chunked;
        this.left = left;
        this.over = !chunked && left == 0;
    }

    static BodyInput of(HttpHead head, InputStream input) throws IOException {
        String coding = head.header("transfer-encoding");
        if (coding != null) {
            if (!coding.equalsIgnoreCase("chunked")) {
                throw new HttpSyntaxException("the answer has an unknown transfer coding");
            }
            return new BodyInput(input, true, 0);
        }
        String length = head.header("content-length");
        if (length == null || !length.matches("[0-9]{1,18}")) {
            throw new HttpSyntaxException("the answer does not say how long it is");
        }
        return new BodyInput(input, false, Long.parseLong(length));
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!over && left == 0 && chunked) {
            nextChunk();
        }
        if (over) {
            return -1;
        }
        int count = input.read(bytes, offset, (int) Math.min(length, left));
        if (count < 0) {
            throw new EOFException("the connection broke within the content");
        }
        left -= count;
        over = !chunked && left == 0;
        return count;
    }

    private void nextChunk() throws IOException {
        if (!firstChunk && !HttpHead.line(input, LONGEST_LINE).isEmpty()) {
            throw new HttpSyntaxException("a chunk of the answer does not end where it should");
        }
        firstChunk = false;
        String size = HttpHead.line(input, LONGEST_LINE).split(";", 2)[0].strip();
        if (!size.matches("[0-9A-Fa-f]{1,15}")) {
            throw new HttpSyntaxException("the answer has a malformed chunk");
        }
        left = Long.parseLong(size, 16);
        if (left == 0) {
            over = true;
            int trailers = LONGEST_LINE;
            for (String line = HttpHead.line(input, trailers); !line.isEmpty(); ) {
                line = HttpHead.line(input, trailers);
            }
        }
    }
}
