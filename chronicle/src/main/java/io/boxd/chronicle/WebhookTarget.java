package io.boxd.chronicle;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;

/**
 * Where a webhook is.
 *
 * @param host a name, or an address as it stands in a URL
 * @param path with the query
 */
record WebhookTarget(boolean secure, String host, int port, String path) {
    private static final int LONGEST = 2048;
    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    static WebhookTarget parse(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw wrong("it is no URL");
        }
        String scheme = Optional.ofNullable(uri.getScheme()).orElse("").toLowerCase(Locale.ROOT);
        if (!scheme.equals("https") && !scheme.equals("http")) {
            throw wrong("it begins with neither https:// nor http://");
        }
        String host = uri.getHost();
        if (host == null || host.isEmpty() || url.length() > LONGEST) {
            throw wrong(host == null ? "it names no host" : "it is longer than " + LONGEST + " characters");
        }
        if (uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
            throw wrong("it has a user or a fragment, which are not sent");
        }
        boolean secure = scheme.equals("https");
        String path = Optional.ofNullable(uri.getRawPath())
                .filter(text -> !text.isEmpty())
                .orElse("/");
        String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
        int port = uri.getPort() < 0 ? (secure ? HTTPS : HTTP) : uri.getPort();
        if (port < 1 || port > 65_535 || !(path + query).chars().allMatch(c -> c > ' ' && c < 127)) {
            throw wrong("its port or its path cannot be");
        }
        return new WebhookTarget(secure, host.toLowerCase(Locale.ROOT), port, path + query);
    }

    private static BoxdException wrong(String why) {
        return new BoxdException(
                ErrorCode.INVALID_ARGUMENT,
                "a webhook cannot be there: " + why,
                "Say a URL such as https://example.org/hooks/boxd.",
                null);
    }

    /** As a request names it. */
    String authority() {
        return port == (secure ? HTTPS : HTTP) ? host : host + ":" + port;
    }

    /** Without the brackets that an address of IPv6 has in a URL. */
    String hostToResolve() {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }
}
