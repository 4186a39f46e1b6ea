package io.boxd.guest;

/** The numbers of the agent's channel, as docs/agent-channel.md has them. */
final class Wire {
    static final int VERSION = 2;
    static final int PREAMBLE_BYTES = 64 * 1024;
    static final int LENGTH_BYTES = 4;
    static final int HEADER_BYTES = 5;
    static final int TAG_BYTES = 4;
    static final int OVERHEAD_BYTES = HEADER_BYTES + TAG_BYTES;
    static final int MAX_LENGTH = 65_520;
    static final int MAX_PAYLOAD_BYTES = MAX_LENGTH - OVERHEAD_BYTES;
    /** Of the one frame outside of sessions, with which an agent says that it has just started. */
    static final int NEWBORN_TAG = 0x616e6577;

    static final int NONCE_BYTES = 16;
    static final int WINDOW_BYTES = 256 * 1024;
    static final int CREDIT_STEP_BYTES = WINDOW_BYTES / 4;
    static final int MAX_EXEC_BYTES = 1024 * 1024;
    static final int MAX_ARGUMENTS = 4096;
    static final int MAX_VARIABLES = 1024;
    static final int MAX_NAME_BYTES = 256;
    static final int MAX_PATH_BYTES = 4096;
    static final int MAX_MESSAGE_BYTES = 1024;
    static final int MAX_FILE_NAME_BYTES = 255;
    static final int MAX_SOCKET_PATH_BYTES = 107;
    static final int MAX_PORT = 65_535;
    static final int ADDRESS_BYTES = 16;
    static final int ADDRESS_BYTES_V4 = 4;
    static final int MAX_ADDRESSES = 8;
    static final int MAX_PROCESS_NAME_BYTES = 64;
    static final int HASH_BYTES = 32;
    static final int MAX_FACT_BYTES = 64;
    static final int ENTROPY_BYTES = 64;
    static final int EXECUTION_ID_BYTES = 16;
    /** The most of an execution's output that a machine keeps. */
    static final long MAX_KEPT_BYTES = 256L << 20;
    /** More stale bytes than this before an answer mean that none will come. */
    static final long MAX_STALE_BYTES = 64L << 20;
    /** Steps of one renewal: the fixed ones, the hooks, and some room. */
    static final int MAX_STEPS = 128;

    static final int HELLO = 0x01;
    static final int PING = 0x02;
    static final int EXEC_PART = 0x03;
    static final int EXEC = 0x04;
    static final int STDIN = 0x05;
    static final int STDIN_CLOSE = 0x06;
    static final int RESIZE = 0x07;
    static final int SIGNAL = 0x08;
    static final int CREDIT = 0x09;
    static final int RENEW = 0x0a;
    static final int GROW = 0x0b;
    static final int SHUTDOWN = 0x0c;
    static final int TASK = 0x20;
    static final int DIAL = 0x21;
    static final int DATA = 0x22;
    static final int DATA_END = 0x23;
    static final int DATA_CREDIT = 0x24;
    static final int CANCEL = 0x25;
    static final int TAKE = 0x26;

    static final int ATTACH = 0x10;
    static final int DETACH = 0x11;
    static final int LIST = 0x12;
    static final int KILL = 0x13;
    static final int FORGET = 0x14;
    static final int LEASES = 0x15;

    static final int HELLO_ACK = 0x81;
    static final int PONG = 0x82;
    static final int STARTED = 0x83;
    static final int REFUSED = 0x84;
    static final int STDOUT = 0x85;
    static final int STDERR = 0x86;
    static final int STDIN_CREDIT = 0x87;
    static final int EXITED = 0x88;
    static final int KILLED = 0x89;
    static final int STEP = 0x8a;
    static final int RENEW_DONE = 0x8b;
    static final int GROWN = 0x8c;
    static final int SHUTTING_DOWN = 0x8d;
    static final int FAULT = 0x8e;
    static final int OPENED = 0xa0;
    static final int DATA_OUT = 0xa1;
    static final int DATA_OUT_END = 0xa2;
    static final int DATA_IN_CREDIT = 0xa3;
    static final int TUNNEL_DONE = 0xa4;

    static final int ATTACHED = 0x90;
    static final int EXECUTIONS = 0x91;
    static final int DONE = 0x92;
    static final int SKIPPED = 0x93;
    static final int LEASE_LIST = 0x94;
    static final int LEASES_CHANGED = 0x95;
    static final int OUTPUT_END = 0x96;

    private Wire() {}
}
