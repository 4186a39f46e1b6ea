package io.boxd.dns;

/** How a question came, which says how long its answer may be. */
enum Transport {
    UDP,
    TCP
}
