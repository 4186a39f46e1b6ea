package io.boxd.network;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The kernel's switches below /proc/sys/net, which are those of the calling thread's namespace. */
final class Switches {
    private static final Path ROOT = Path.of("/proc/sys/net");

    /** In a wire's namespace. It forwards; it believes no neighbour, and speaks no IPv6. */
    static final Map<String, String> OF_NAMESPACE = Map.ofEntries(
            Map.entry("ipv4/ip_forward", "1"),
            Map.entry("ipv4/conf/all/rp_filter", "1"),
            Map.entry("ipv4/conf/all/accept_redirects", "0"),
            Map.entry("ipv4/conf/all/send_redirects", "0"),
            Map.entry("ipv4/conf/default/send_redirects", "0"),
            Map.entry("ipv4/conf/all/accept_source_route", "0"),
            Map.entry("ipv4/conf/all/route_localnet", "0"),
            // Answers only for addresses of the interface that was asked on.
            Map.entry("ipv4/conf/all/arp_ignore", "1"),
            Map.entry("ipv4/conf/all/arp_accept", "0"),
            Map.entry("ipv6/conf/all/disable_ipv6", "1"),
            Map.entry("ipv6/conf/default/disable_ipv6", "1"));

    private Switches() {}

    static void set(String name, String value) {
        try {
            Files.writeString(ROOT.resolve(name), value);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot set " + ROOT.resolve(name) + " to " + value, e);
        }
    }

    static void setAll(Map<String, String> values) {
        values.forEach((name, value) -> {
            // A kernel without IPv6 needs none of its switches.
            if (!name.startsWith("ipv6/") || Files.exists(ROOT.resolve(name))) {
                set(name, value);
            }
        });
    }

    /** On the host's end of a wire, which routes from and to it whatever the host does otherwise. */
    static Map<String, String> ofHostInterface(String name) {
        return Map.of(
                "ipv4/conf/" + name + "/forwarding", "1",
                "ipv4/conf/" + name + "/rp_filter", "1",
                "ipv4/conf/" + name + "/accept_redirects", "0",
                "ipv4/conf/" + name + "/send_redirects", "0",
                "ipv4/conf/" + name + "/route_localnet", "0",
                "ipv6/conf/" + name + "/disable_ipv6", "1");
    }

    static String get(String name) {
        try {
            return Files.readString(ROOT.resolve(name)).strip();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read " + ROOT.resolve(name), e);
        }
    }
}
