package io.boxd.api;

import java.net.InetAddress;

/**
 * Where the HTTP door is.
 *
 * @param port 0 for any that is free
 * @param domain under which boxes have names
 * @param token that requests must carry
 */
public record ApiConfig(InetAddress bind, int port, String domain, Token token) {}
