package io.boxd.ssh;

import java.net.InetAddress;
import java.nio.file.Path;

/**
 * How the SSH doors are to be.
 *
 * @param port 0 for any that is free
 * @param keys the folder in which the host's key and its authority are kept
 * @param domain under which the server is known
 * @param version of this server, which it tells
 */
public record SshConfig(InetAddress bind, int port, Path keys, String domain, String version) {}
