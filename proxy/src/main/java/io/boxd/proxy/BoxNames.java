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
        Goal goal = Shapes.isLikeAPort(label) ? withPort(label) : new Goal(label, Optional.empty());
        return Shapes.isName(goal.box()) && goal.port().stream().allMatch(BoxNames::isPort)
                ? Optional.of(goal)
                : Optional.empty();
    }

    private static Goal withPort(String label) {
        int hyphen = label.indexOf('-');
        String digits = label.substring(0, hyphen);
        int port = digits.length() > LONGEST_PORT || digits.startsWith("0") ? 0 : Integer.parseInt(digits);
        return new Goal(label.substring(hyphen + 1), Optional.of(port));
    }

    private static boolean isPort(int port) {
        return port >= 1 && port <= LAST_PORT;
    }
}
