package io.boxd.web;

import java.net.InetAddress;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * Where the server is reached by HTTP.
 *
 * @param port 0 for any that is free
 * @param secure the same with TLS, if there is one
 */
public record WebConfig(InetAddress bind, int port, Optional<Secure> secure) {
    /**
     * Where the same is answered with TLS.
     *
     * @param port 0 for any that is free
     * @param context with the server's key and certificate
     */
    public record Secure(int port, SSLContext context) {}
}
