package io.boxd.guest;

import java.nio.ByteBuffer;

/** One frame of the present session; its payload is valid only while it is being handled. */
record Frame(int type, int stream, ByteBuffer payload) {}
