package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.Json;
import io.boxd.linux.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * Looks for what on this host would stop machines' packets, and says how to mend it; changes nothing.
 *
 * <p>An accept in our own table does not overrule a drop in another one, so the rules of others matter.
 */
public final class HostObstacles {
    private static final String ANY_WIRE = WireNames.ANY_WIRE + "*";

    private HostObstacles() {}

    /** Everything that is in the way, as far as can be seen; empty if nothing is. */
    public static List<Obstacle> find(WireConfig config, Deadline deadline) {
        List<Obstacle> found = new ArrayList<>();
        missingPrograms(deadline, found);
        if (!Files.exists(Path.of("/dev/net/tun"))) {
            found.add(new Obstacle("there is no /dev/net/tun", "modprobe tun"));
        }
        if (config.uplinks().isEmpty() && HostRoutes.defaultDevices().isEmpty()) {
            found.add(new Obstacle(
                    "this host has no default route, so machines reach nothing",
                    "Add one, or configure the interfaces that lead to the internet."));
        }
        try {
            Upstreams.of(config.resolvers()).servers();
        } catch (BoxdException e) {
            String hint = e.hint();
            found.add(new Obstacle(String.valueOf(e.getMessage()), hint == null ? "Configure resolvers." : hint));
        }
        if (found.isEmpty()) {
            found.addAll(inRules(NetworkTools.prompt().rules(deadline), config.resolverPort()));
        }
        found.addAll(legacyTables());
        return found;
    }

    private static void missingPrograms(Deadline deadline, List<Obstacle> found) {
        for (List<String> program :
                List.of(List.of("nft", "--version"), List.of("ip", "-V"), List.of("nsenter", "--version"))) {
            try {
                Command.of(program).check(deadline);
            } catch (BoxdException e) {
                found.add(new Obstacle(
                        program.getFirst() + " is missing or does not work",
                        "apt-get install nftables iproute2 util-linux"));
            }
        }
    }

    /** Chains of others, in nft's listing (in JSON), that drop what they do not know. */
    static List<Obstacle> inRules(String listing, int resolverPort) {
        JsonNode entries = Json.parse(listing).path("nftables");
        Set<String> chains = new TreeSet<>();
        Set<String> allowed = new TreeSet<>();
        for (JsonNode entry : entries) {
            JsonNode chain = entry.path("chain");
            chains.add(path(chain, "name"));
            JsonNode rule = entry.path("rule");
            if (rule.isObject() && rule.toString().contains("\"" + WireNames.ANY_WIRE)) {
                allowed.add(path(rule, "chain"));
            }
        }
        List<Obstacle> found = new ArrayList<>();
        for (JsonNode entry : entries) {
            JsonNode chain = entry.path("chain");
            String hook = chain.path("hook").asString("");
            boolean drops = chain.path("policy").asString("").equals("drop")
                    && (hook.equals("forward") || hook.equals("input"))
                    && !chain.path("family").asString("").equals("ip6")
                    && !chain.path("table").asString("").startsWith("boxd_");
            if (drops && !isAllowed(chain, chains, allowed)) {
                found.add(new Obstacle(
                        "chain " + path(chain, "name") + " drops what it does not know (hook " + hook + ")",
                        remedy(chain, hook, chains, resolverPort)));
            }
        }
        return found;
    }

    /** Docker keeps a chain for the administrator, which it asks before its own. */
    private static boolean isAllowed(JsonNode chain, Set<String> chains, Set<String> allowed) {
        String docker = dockerChain(chain);
        return allowed.contains(path(chain, "name")) || (chains.contains(docker) && allowed.contains(docker));
    }

    private static String remedy(JsonNode chain, String hook, Set<String> chains, int resolverPort) {
        String table = chain.path("table").asString("");
        String name = chain.path("name").asString("");
        boolean iptables = table.equals("filter") && name.equals(name.toUpperCase(java.util.Locale.ROOT));
        if (iptables) {
            return hook.equals("input")
                    ? iptablesInput(name, resolverPort)
                    : iptablesForward(chains.contains(dockerChain(chain)) ? "DOCKER-USER" : name);
        }
        String target = chain.path("family").asString("") + " " + table + " " + name;
        if (hook.equals("input")) {
            return "nft 'insert rule " + target + " iifname \"" + ANY_WIRE + "\" meta l4proto { tcp, udp } th dport "
                    + resolverPort + " accept'";
        }
        return "nft 'insert rule " + target + " iifname \"" + ANY_WIRE + "\" accept'; nft 'insert rule " + target
                + " oifname \"" + ANY_WIRE + "\" ct state established,related accept'";
    }

    private static String iptablesForward(String chain) {
        return "iptables -I " + chain + " -i " + WireNames.ANY_WIRE + "+ -j ACCEPT; iptables -I " + chain + " -o "
                + WireNames.ANY_WIRE + "+ -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT"
                + " (with ufw, put them into /etc/ufw/before.rules)";
    }

    private static String iptablesInput(String chain, int resolverPort) {
        String from = "iptables -I " + chain + " -i " + WireNames.ANY_WIRE + "+ -p ";
        String port = " --dport " + resolverPort + " -j ACCEPT";
        return from + "udp" + port + "; " + from + "tcp" + port;
    }

    private static String dockerChain(JsonNode chain) {
        return chain.path("family").asString("") + " " + chain.path("table").asString("") + " DOCKER-USER";
    }

    private static String path(JsonNode node, String nameField) {
        return node.path("family").asString("") + " " + node.path("table").asString("") + " "
                + node.path(nameField).asString("");
    }

    /** Rules of the old kind do not show in nft's listing. */
    private static List<Obstacle> legacyTables() {
        Path names = Path.of("/proc/net/ip_tables_names");
        try {
            if (Files.exists(names) && Files.readString(names).contains("filter")) {
                return List.of(new Obstacle(
                        "this host has rules of the old iptables, which cannot be seen with nft",
                        "Look with iptables-legacy -S; where FORWARD drops: "
                                + iptablesForward("FORWARD").replace("iptables ", "iptables-legacy ")));
            }
        } catch (java.io.IOException e) {
            return List.of(new Obstacle("cannot read " + names, "Run as root."));
        }
        return List.of();
    }
}
