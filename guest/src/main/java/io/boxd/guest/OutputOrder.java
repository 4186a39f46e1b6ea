package io.boxd.guest;

/**
 * In which order bytes of the two channels came: runs of one channel, and gaps. Not for use by several threads.
 *
 * <p>Neighbours of one kind are one run, so a flood takes no room; the most that a machine can make of a window
 * is a run for each byte.
 */
final class OutputOrder {
    private static final int FIRST_RUNS = 16;
    private static final int KIND_BITS = 2;
    private static final int KIND_MASK = (1 << KIND_BITS) - 1;
    private static final int STDOUT = 0;
    private static final int STDERR = 1;
    private static final int GAP = 2;

    private long[] ring = new long[FIRST_RUNS];
    private int head;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    void add(OutputChannel channel, long bytes) {
        append(channel == OutputChannel.STDOUT ? STDOUT : STDERR, bytes);
    }

    void addGap(long bytes) {
        append(GAP, bytes);
    }

    private void append(int kind, long bytes) {
        if (size > 0) {
            int last = (head + size - 1) % ring.length;
            if ((ring[last] & KIND_MASK) == kind) {
                ring[last] += bytes << KIND_BITS;
                return;
            }
        }
        if (size == ring.length) {
            long[] larger = new long[2 * size];
            for (int i = 0; i < size; i++) {
                larger[i] = ring[(head + i) % size];
            }
            ring = larger;
            head = 0;
        }
        ring[(head + size) % ring.length] = bytes << KIND_BITS | kind;
        size++;
    }

    boolean startsWithGap() {
        return size > 0 && (ring[head] & KIND_MASK) == GAP;
    }

    OutputChannel firstChannel() {
        return (ring[head] & KIND_MASK) == STDOUT ? OutputChannel.STDOUT : OutputChannel.STDERR;
    }

    long firstBytes() {
        return ring[head] >>> KIND_BITS;
    }

    /** So much of the first run was taken. */
    void take(long bytes) {
        ring[head] -= bytes << KIND_BITS;
        if (firstBytes() == 0) {
            head = (head + 1) % ring.length;
            size--;
        }
    }

    void clear() {
        ring = new long[FIRST_RUNS];
        head = 0;
        size = 0;
    }
}
