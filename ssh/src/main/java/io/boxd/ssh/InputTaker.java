package io.boxd.ssh;

import java.io.IOException;

/** Whoever takes what a client types, one piece after the other; may wait, and so makes the client wait. */
interface InputTaker {
    void take(byte[] bytes, int offset, int length) throws IOException;

    /** There is no more. */
    void end() throws IOException;
}
