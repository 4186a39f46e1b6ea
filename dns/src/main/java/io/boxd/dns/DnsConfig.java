package io.boxd.dns;

import java.net.InetAddress;

/**
 * Where the DNS door listens and what it answers for.
 *
 * @param port of UDP and of TCP; 0 for any that is free
 */
public record DnsConfig(InetAddress bind, int port, ZoneConfig zone) {}
