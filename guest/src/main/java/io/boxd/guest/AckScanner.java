package io.boxd.guest;

import java.nio.ByteBuffer;

/**
 * Finds the beginning of the answer to our HELLO in a stream that may hold anything before it.
 *
 * <p>A forked machine first delivers what its source had not sent yet, in the middle of frames of
 * other sessions; none of it may be looked at. Only the agent that got our nonce can repeat it.
 */
final class AckScanner {
    private static final int HEAD_BYTES = Wire.LENGTH_BYTES + Wire.HEADER_BYTES + Wire.NONCE_BYTES;
    private static final int RING_BYTES = 32;

    private final byte[] expected;
    private final byte[] ring = new byte[RING_BYTES];
    private long seen;

    AckScanner(byte[] nonce) {
        this.expected = ByteBuffer.allocate(Wire.HEADER_BYTES + Wire.NONCE_BYTES)
                .put((byte) Wire.HELLO_ACK)
                .putInt(0)
                .put(nonce)
                .array();
    }

    /** Takes bytes up to the end of the nonce in the answer; true when it was found. */
    boolean feed(ByteBuffer input) throws ProtocolException {
        byte last = expected[expected.length - 1];
        while (input.hasRemaining()) {
            byte value = input.get();
            ring[(int) (seen++ % RING_BYTES)] = value;
            if (value == last && seen >= HEAD_BYTES && matches()) {
                return true;
            }
        }
        if (seen > Wire.MAX_STALE_BYTES) {
            throw new ProtocolException("no answer within " + Wire.MAX_STALE_BYTES + " bytes");
        }
        return false;
    }

    private boolean matches() {
        for (int i = 1; i <= expected.length; i++) {
            if (ring[(int) ((seen - i) % RING_BYTES)] != expected[expected.length - i]) {
                return false;
            }
        }
        return true;
    }

    /** The answer's frame from its length to the nonce. */
    ByteBuffer head() {
        ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
        for (int i = HEAD_BYTES; i >= 1; i--) {
            head.put(ring[(int) ((seen - i) % RING_BYTES)]);
        }
        return head.flip();
    }
}
