package io.boxd.network;

/**
 * Something about this host that keeps machines from the network.
 *
 * @param what is in the way
 * @param remedy what the operator can do, to the letter where that is possible
 */
public record Obstacle(String what, String remedy) {}
