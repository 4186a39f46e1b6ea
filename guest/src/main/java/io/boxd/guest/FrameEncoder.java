package io.boxd.guest;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Puts payloads into frames of one session. */
final class FrameEncoder {
    private final int tag;

    FrameEncoder(int tag) {
        this.tag = tag;
    }

    byte[] frame(int type, int stream, byte[] payload) {
        return frame(type, stream, payload, 0, payload.length);
    }

    byte[] frame(int type, int stream, byte[] bytes, int offset, int count) {
        if (count > Wire.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("a payload of " + count + " bytes does not fit into a frame");
        }
        return ByteBuffer.allocate(Wire.LENGTH_BYTES + Wire.OVERHEAD_BYTES + count)
                .putInt(Wire.OVERHEAD_BYTES + count)
                .put((byte) type)
                .putInt(stream)
                .put(bytes, offset, count)
                .putInt(tag)
                .array();
    }

    /** A request that may be longer than one frame; its parts must be sent without others in between. */
    List<byte[]> exec(int stream, byte[] request) {
        List<byte[]> frames = new ArrayList<>();
        int offset = 0;
        while (request.length - offset > Wire.MAX_PAYLOAD_BYTES) {
            frames.add(frame(Wire.EXEC_PART, stream, request, offset, Wire.MAX_PAYLOAD_BYTES));
            offset += Wire.MAX_PAYLOAD_BYTES;
        }
        frames.add(frame(Wire.EXEC, stream, request, offset, request.length - offset));
        return frames;
    }
}
