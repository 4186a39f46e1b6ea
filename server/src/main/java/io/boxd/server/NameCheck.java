package io.boxd.server;

import io.boxd.common.Deadline;
import io.boxd.dns.Delegation;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/** Looks whether others find boxes by their names. */
final class NameCheck {
    private static final String WHAT = "names";
    private static final int PATIENCE_SECONDS = 5;

    private NameCheck() {}

    static Finding finding(ServerConfig config) {
        String domain = config.domain();
        if (domain.equals("localhost") || domain.endsWith(".localhost")) {
            return Finding.found(WHAT, "browsers and curl know by themselves that " + domain + " is this machine");
        }
        List<InetAddress> doors = Naming.doors(config);
        Optional<String> obstacle = Delegation.obstacle(domain, doors, Deadline.inSeconds(PATIENCE_SECONDS));
        return obstacle.map(why -> Finding.degraded(WHAT, why, remedy(config, doors.getFirst())))
                .orElseGet(() -> Finding.found(WHAT, "all names under " + domain + " lead here"));
    }

    private static String remedy(ServerConfig config, InetAddress door) {
        return config.naming().dnsPort().isPresent()
                ? "In the zone above, delegate it: " + config.domain() + ". NS ns1." + config.domain() + ". and ns1."
                        + config.domain() + ". A " + door.getHostAddress()
                        + "; port 53 of UDP and TCP must lead here (docs/names.md)."
                : "In its zone, let *." + config.domain() + " lead to " + door.getHostAddress() + ".";
    }
}
