package io.boxd.ssh;

/**
 * Who has signed, and what for; who that is, is asked anew for each session.
 *
 * @param user the name that was said, which chooses the door
 * @param address from which they come
 */
record Visitor(ProvenKey key, String user, String address) {}
