package io.boxd.linux;

import java.util.BitSet;
import java.util.OptionalInt;

/** Numbers that are handed out in turn, so that one given back is not used again soon. Thread-safe. */
public final class NumberedSlots {
    private final int count;
    private final BitSet used;
    private int next;

    public NumberedSlots(int count) {
        this.count = count;
        this.used = new BitSet(count);
    }

    /** A number from 0 that nobody has; empty when all are taken. */
    public synchronized OptionalInt acquire() {
        for (int i = 0; i < count; i++) {
            int slot = (next + i) % count;
            if (!used.get(slot)) {
                used.set(slot);
                next = slot + 1;
                return OptionalInt.of(slot);
            }
        }
        return OptionalInt.empty();
    }

    /** Takes this very number; false if somebody has it or it is out of bounds. */
    public synchronized boolean acquire(int slot) {
        if (slot < 0 || slot >= count || used.get(slot)) {
            return false;
        }
        used.set(slot);
        return true;
    }

    public synchronized void release(int slot) {
        used.clear(slot);
    }
}
