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
            FirewallAdvice advice =
                    new FirewallAdvice(works(List.of("iptables", "--version"), deadline), config.resolverPort());
            found.addAll(inRules(NetworkTools.prompt().rules(deadline), advice));
        }
        found.addAll(legacyTables());
        return found;
    }

    private static void missingPrograms(Deadline deadline, List<Obstacle> found) {
        for (List<String> program :
                List.of(List.of("nft", "--version"), List.of("ip", "-V"), List.of("nsenter", "--version"))) {
            if (!works(program, deadline)) {
                found.add(new Obstacle(
                        program.getFirst() + " is missing or does not work",
                        "apt-get install nftables iproute2 util-linux"));
            }
        }
    }

    private static boolean works(List<String> program, Deadline deadline) {
        try {
            return Command.of(program).run(deadline).succeeded();
        } catch (BoxdException _) {
            return false;
        }
    }

    /** Chains of others, in nft's listing (in JSON), that stop what they do not know. */
    static List<Obstacle> inRules(String listing, FirewallAdvice advice) {
        JsonNode entries = Json.parse(listing).path("nftables");
        Set<String> chains = new TreeSet<>();
        Set<String> allowing = new TreeSet<>();
        Set<String> closing = new TreeSet<>();
        for (JsonNode entry : entries) {
            chains.add(path(entry.path("chain"), "name"));
            JsonNode rule = entry.path("rule");
            if (rule.isObject() && rule.toString().contains("\"" + WireNames.ANY_WIRE)) {
                allowing.add(path(rule, "chain"));
            }
            if (stopsEverything(rule)) {
                closing.add(path(rule, "chain"));
            }
        }
        List<Obstacle> found = new ArrayList<>();
        for (JsonNode entry : entries) {
            FirewallAdvice.Chain chain = chain(entry.path("chain"));
            boolean stops =
                    entry.path("chain").path("policy").asString("").equals("drop") || closing.contains(chain.path());
            String docker = chain.named(FirewallAdvice.DOCKER_USER).path();
            boolean hasDocker = chains.contains(docker);
            boolean allowed = allowing.contains(chain.path()) || (hasDocker && allowing.contains(docker));
            if (stops && !allowed && concernsUs(chain)) {
                found.add(new Obstacle(
                        "chain " + chain.path() + " drops what it does not know (hook " + chain.hook() + ")",
                        advice.remedy(chain, hasDocker)));
            }
        }
        return found;
    }

    private static boolean concernsUs(FirewallAdvice.Chain chain) {
        return (chain.hook().equals("forward") || chain.hook().equals("input"))
                && !chain.family().equals("ip6")
                && !chain.table().startsWith("boxd_");
    }

    /** A rule without any condition at the end of a chain does what a policy does. */
    private static boolean stopsEverything(JsonNode rule) {
        boolean stops = false;
        for (JsonNode statement : rule.path("expr")) {
            if (statement.has("match")) {
                return false;
            }
            stops |= statement.has("drop") || statement.has("reject");
        }
        return stops;
    }

    private static FirewallAdvice.Chain chain(JsonNode chain) {
        return new FirewallAdvice.Chain(
                chain.path("family").asString(""),
                chain.path("table").asString(""),
                chain.path("name").asString(""),
                chain.path("hook").asString(""));
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
                                + FirewallAdvice.iptablesForward("iptables-legacy", "FORWARD")));
            }
        } catch (java.io.IOException e) {
            return List.of(new Obstacle("cannot read " + names, "Run as root."));
        }
        return List.of();
    }
}
