package io.boxd.proxy;

import io.boxd.common.Shapes;
import java.util.Optional;

/**
 * Which box, and which of its ports, a host name means: {@code NAME.DOMAIN} and {@code PORT-NAME.DOMAIN}.
 *
 * <p>No box has a name that reads as a port, so a name has one meaning only.
 */
final class BoxNames {
    private static final int LAST_PORT = 65_535;
    private static final int LONGEST_PORT = 5;

    private final String suffix;

    /** @param domain under which boxes have their names, in lower case */
    BoxNames(String domain) {
        this.suffix = "." + domain;
    }

    /** What a host name leads to; nobody said a port: the one that the box answers by. */
    record Goal(String box, Optional<Integer> port) {}

    /** Whether a host is below the domain, whether or not there is anything. */
    boolean contain(String host) {
        return host.length() > suffix.length() && host.endsWith(suffix);
    }

    /** What a host, in lower case and without a port, means; nothing if no box can be called so. */
    Optional<Goal> find(String host) {
        if (!contain(host)) {
            return Optional.empty();
        }
        String label = host.substring(0, host.length() - suffix.length());
        return Shapes.isLikeAPort(label) ? withPort(label) : named(label, Optional.empty());
    }

    private static Optional<Goal> withPort(String label) {
        int hyphen = label.indexOf('-');
        if (hyphen < 1 || hyphen > LONGEST_PORT || label.startsWith("0")) {
            return Optional.empty();
        }
        int port = Integer.parseInt(label.substring(0, hyphen));
        return port > LAST_PORT ? Optional.empty() : named(label.substring(hyphen + 1), Optional.of(port));
    }

    private static Optional<Goal> named(String box, Optional<Integer> port) {
        return Shapes.isName(box) && !Shapes.isLikeAPort(box) ? Optional.of(new Goal(box, port)) : Optional.empty();
    }
}
