package io.boxd.cli;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.net.URI;

/**
 * Where a server listens.
 *
 * @param secure whether TLS is spoken there
 * @param host a name or an address, without brackets
 */
record ServerUrl(boolean secure, String host, int port) {
    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    /** @param source where it was read, for messages */
    static ServerUrl of(String url, String source) {
        URI address;
        try {
            address = URI.create(url);
        } catch (IllegalArgumentException e) {
            throw unusable(url, source);
        }
        String host = address.getHost();
        boolean secure = "https".equalsIgnoreCase(address.getScheme());
        boolean known = secure || "http".equalsIgnoreCase(address.getScheme());
        boolean bare = address.getRawPath() == null || address.getRawPath().length() <= 1;
        boolean alone =
                address.getRawQuery() == null && address.getRawFragment() == null && address.getRawUserInfo() == null;
        if (host == null || !known || !bare || !alone) {
            throw unusable(url, source);
        }
        String bracketless = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        int port = address.getPort() < 0 ? secure ? HTTPS : HTTP : address.getPort();
        return new ServerUrl(secure, bracketless, port);
    }

    private static BoxdException unusable(String url, String source) {
        return new BoxdException(
                ErrorCode.INVALID_ARGUMENT,
                source + " says " + url + ": a server is given as https://HOST:PORT or http://HOST:PORT");
    }

    /** For the Host header. */
    String authority() {
        String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return port == (secure ? HTTPS : HTTP) ? name : name + ":" + port;
    }

    /** The same place, the other way of speaking. */
    ServerUrl withTls(boolean tls) {
        return new ServerUrl(tls, host, port);
    }

    @Override
    public String toString() {
        return (secure ? "https://" : "http://") + authority();
    }
}
