package io.boxd.network;

import java.util.Locale;

/**
 * What an operator can enter, to the letter, so that a firewall of this host lets machines' packets through.
 *
 * @param iptables whether this host has the program; chains of its making can be changed with nft, too
 * @param resolverPort where machines ask for names
 */
record FirewallAdvice(boolean iptables, int resolverPort) {
    /** The chain that Docker keeps for the administrator, and asks before its own. */
    static final String DOCKER_USER = "DOCKER-USER";

    private static final String PREFIX = WireNames.ANY_WIRE + "+";
    private static final String WILDCARD = "\"" + WireNames.ANY_WIRE + "*\"";

    /** A chain that stops packets, in nft's words. */
    record Chain(String family, String table, String name, String hook) {
        boolean isInput() {
            return hook.equals("input");
        }

        /** Whether it looks like one that iptables made. */
        boolean isOfIptables() {
            return family.equals("ip") && table.equals("filter") && name.equals(name.toUpperCase(Locale.ROOT));
        }

        String path() {
            return family + " " + table + " " + name;
        }

        Chain named(String other) {
            return new Chain(family, table, other, hook);
        }
    }

    /**
     * The command for a chain.
     *
     * @param docker whether its table has {@link #DOCKER_USER}
     */
    String remedy(Chain chain, boolean docker) {
        Chain target = docker && !chain.isInput() ? chain.named(DOCKER_USER) : chain;
        if (!chain.isOfIptables() || !iptables) {
            return target.isInput() ? nftInput(target) : nftForward(target);
        }
        return target.isInput() ? iptablesInput(target.name()) : iptablesForward("iptables", target.name());
    }

    private String nftInput(Chain chain) {
        return "nft 'insert rule " + chain.path() + " iifname " + WILDCARD + " meta l4proto { tcp, udp } th dport "
                + resolverPort + " accept'";
    }

    private static String nftForward(Chain chain) {
        return "nft 'insert rule " + chain.path() + " iifname " + WILDCARD + " accept'; nft 'insert rule "
                + chain.path() + " oifname " + WILDCARD + " ct state established,related accept'";
    }

    private String iptablesInput(String chain) {
        String from = "iptables -I " + chain + " -i " + PREFIX + " -p ";
        String port = " --dport " + resolverPort + " -j ACCEPT";
        return from + "udp" + port + "; " + from + "tcp" + port;
    }

    /** The end is a comment for the shell, so that the whole can be entered as it is. */
    static String iptablesForward(String program, String chain) {
        String insert = program + " -I " + chain;
        return insert + " -i " + PREFIX + " -j ACCEPT; " + insert + " -o " + PREFIX
                + " -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT"
                + " # with ufw, put them into /etc/ufw/before.rules";
    }
}
