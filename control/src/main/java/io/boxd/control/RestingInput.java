package io.boxd.control;

import io.boxd.common.Deadline;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Predicate;

/** Reads what a box says, and lets go of the box while it says nothing. */
final class RestingInput extends FilterInputStream {
    private final Predicate<Deadline> awaiting;
    private final Attention attention;

    /** @param awaiting whether something can be read, or the end is known, by a deadline */
    RestingInput(InputStream source, Predicate<Deadline> awaiting, Attention attention) {
        super(source);
        this.awaiting = awaiting;
        this.attention = attention;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        while (!awaiting.test(Deadline.in(Limits.LOOK))) {
            attention.rest();
        }
        int count = super.read(target, offset, length);
        attention.happened();
        return count;
    }
}
