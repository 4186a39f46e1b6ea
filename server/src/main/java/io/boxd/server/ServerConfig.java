package io.boxd.server;

import io.boxd.accounts.Quota;
import io.boxd.vmm.MachineSize;
import io.boxd.worker.SleepRules;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How an instance is to be.
 *
 * @param home all its data
 * @param imageCache images and bases, which instances may share
 * @param registry where all instances on this host agree on user ids and addresses
 * @param httpPort 0 for any that is free
 * @param httpsPort the same with TLS
 * @param sshPort 0 for any that is free; nothing: no door of SSH
 * @param naming how its names are answered and certified
 * @param image that a box starts from unless told otherwise
 * @param quota what an account may have unless an administrator says otherwise
 * @param login where people log in elsewhere, if they can
 * @param uplinks interfaces that lead to the internet; empty: those of the default routes
 * @param rateLimit requests a second from one caller; 0 for no limit
 * @param metricsOpen whether metrics are told without the token
 * @param collector where traces are sent, if anywhere
 * @param privateWebhooks whether webhooks may be at this host and in private networks
 * @param roles which part of the instance a process is
 */
public record ServerConfig(
        Path home,
        Path imageCache,
        Path registry,
        InetAddress bind,
        int httpPort,
        int httpsPort,
        Optional<Integer> sshPort,
        String domain,
        NamingConfig naming,
        String image,
        MachineSize size,
        SleepRules sleep,
        Quota quota,
        Optional<LoginConfig> login,
        List<String> uplinks,
        int rateLimit,
        boolean metricsOpen,
        Optional<URI> collector,
        boolean privateWebhooks,
        Roles roles) {
    public ServerConfig {
        uplinks = List.copyOf(uplinks);
    }
}
