package io.boxd.server;

import io.boxd.vmm.MachineSize;
import io.boxd.worker.SleepRules;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * How an instance is to be.
 *
 * @param home all its data
 * @param imageCache images and bases, which instances may share
 * @param registry where all instances on this host agree on user ids and addresses
 * @param httpPort 0 for any that is free
 * @param image that a box starts from unless told otherwise
 * @param uplinks interfaces that lead to the internet; empty: those of the default routes
 * @param privateWebhooks whether webhooks may be at this host and in private networks
 */
public record ServerConfig(
        Path home,
        Path imageCache,
        Path registry,
        InetAddress bind,
        int httpPort,
        String domain,
        String image,
        MachineSize size,
        SleepRules sleep,
        int quotaBoxes,
        List<String> uplinks,
        boolean privateWebhooks) {
    public ServerConfig {
        uplinks = List.copyOf(uplinks);
    }
}
