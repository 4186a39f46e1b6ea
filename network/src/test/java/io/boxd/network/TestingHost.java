package io.boxd.network;

import io.boxd.common.Deadline;
import io.boxd.common.InstanceId;
import io.boxd.common.Json;
import io.boxd.linux.Command;
import io.boxd.linux.FileOwner;
import io.boxd.linux.Netlink;
import io.boxd.linux.NetworkNamespace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;

/**
 * An instance on this host whose wires lead to a world of its own: a namespace to which everything that
 * leaves a wire of this instance is routed, whatever its destination, and nothing else.
 *
 * <p>So what arrives there is exactly what got through, and the host's own routes are not touched.
 */
public final class TestingHost implements AutoCloseable {
    public static final boolean LONG = Boolean.getBoolean("boxd.test.long");
    public static final Path REGISTRY = Path.of("/run/boxd-test/registry");

    /** Any address will do in the world; this one looks like a real one. */
    public static final String WORLD = "93.184.216.34";

    /** Shared address space without the part that instances use by default. */
    private static final Ipv4Range SHARED = Ipv4Range.parse("100.64.0.0/10");

    private static final int PARTS = 60;
    private static final int PART_PREFIX_LENGTH = 16;

    private final Path home;
    private final WireNames names;
    /**
     * Another one for each instance: for half a minute the host remembers how it translated an address before, which
     * was for another world, and sockets of an earlier test still call whom they knew there.
     */
    private final Ipv4Range range;

    private final int routingTable;
    /** Of both ends of the link to the world; several instances may be tested at a time. */
    private final String near;

    private final String far;
    private final List<Wires> opened = new ArrayList<>();
    private boolean routed;

    private TestingHost() throws IOException {
        home = Files.createTempDirectory("boxd-wires-");
        names = new WireNames(InstanceId.of(home));
        int number = Integer.parseInt(names.instance(), 16);
        range = SHARED.part(number % PARTS, PART_PREFIX_LENGTH);
        // Also the rule's priority, which must be above that of the host's own routes.
        routingTable = 1_000 + number % 30_000;
        int link = Ipv4.parse("172.29.0.0") + number % 0x3fff * 4;
        near = Ipv4.of(link + 1).getHostAddress();
        far = Ipv4.of(link + 2).getHostAddress();
        try {
            makeWorld();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    public static TestingHost open() {
        try {
            return new TestingHost();
        } catch (IOException e) {
            throw new IllegalStateException("cannot make a home for wires", e);
        }
    }

    public Path home() {
        return home;
    }

    public String instance() {
        return names.instance();
    }

    WireNames names() {
        return names;
    }

    String worldName() {
        return "boxd-" + instance() + "-world";
    }

    Path world() {
        return WireNames.NAMESPACES.resolve(worldName());
    }

    /** The interface to the world; must not look like one of a wire. */
    public String uplink() {
        return "bt-" + instance() + "-w";
    }

    private void makeWorld() {
        run("ip", "netns", "add", worldName());
        run("ip", "link", "add", uplink(), "type", "veth", "peer", "name", "host0", "netns", worldName());
        run("ip", "address", "add", near, "peer", far, "dev", uplink());
        // It would only make noise.
        Switches.setAll(java.util.Map.of("ipv6/conf/" + uplink() + "/disable_ipv6", "1"));
        inWorld(() -> {
            Switches.setAll(java.util.Map.of("ipv6/conf/all/disable_ipv6", "1"));
            return true;
        });
        run("ip", "link", "set", uplink(), "up");
        inWorld("ip", "link", "set", "lo", "up");
        inWorld("ip", "address", "add", far, "peer", near, "dev", "host0");
        inWorld("ip", "link", "set", "host0", "up");
        inWorld("ip", "route", "add", "default", "via", near, "dev", "host0", "onlink");
        // Whatever arrives is for the world itself.
        inWorld("ip", "route", "add", near, "dev", "host0", "table", "local");
        inWorld("ip", "route", "add", "local", "0.0.0.0/0", "dev", "lo");
        sink(world(), "host0", "ether type { ip, ip6 }");
        awaitLink();
    }

    /** What is sent before the kernel has noticed both ends of the link is lost. */
    private void awaitLink() {
        Deadline deadline = Deadline.inSeconds(10);
        try (LinkState end = inWorld(() -> new LinkState(Netlink.open(Netlink.Family.ROUTE), "host0"))) {
            if (!LinkState.awaitUp(uplink(), deadline) || !end.awaitUp(deadline)) {
                throw deadline.exceeded("the link to the world");
            }
        }
    }

    /**
     * Counts what comes in over a device and was not dropped at its ingress by anybody before.
     *
     * @param which frames, in nft's words; empty: all
     */
    static void sink(Path namespace, String device, String which) {
        NetworkTools.prompt().nftIn(namespace, """
                table netdev sink {
                  counter seen { }
                  chain arrivals { type filter hook ingress device "%s" priority 0; policy accept;
                    %s counter name "seen"
                  }
                }
                """.formatted(device, which), Deadline.inSeconds(10));
    }

    public Wires open(int pool) {
        return open(config(pool, List.of()));
    }

    public WireConfig config(int pool, List<InetSocketAddress> resolvers) {
        return new WireConfig(
                home,
                REGISTRY,
                range,
                pool,
                List.of(uplink()),
                resolvers,
                WireConfig.DEFAULT_RESOLVER_PORT,
                WireConfig.DEFAULT_CONNECTIONS);
    }

    public Wires open(WireConfig config) {
        Wires wires = Wires.open(config, Deadline.inSeconds(30));
        opened.add(wires);
        route(wires.range());
        return wires;
    }

    /** Sends what comes from these addresses, those of this instance, into the world. */
    public void route(Ipv4Range sources) {
        if (routed) {
            return;
        }
        routed = true;
        String table = Integer.toString(routingTable);
        run("ip", "rule", "add", "from", sources.toString(), "lookup", table, "priority", table);
        // Not what the host itself sends to its machines.
        knowTheWayTo(sources);
        run("ip", "route", "add", "default", "via", far, "dev", uplink(), "table", table, "onlink");
    }

    /** Puts other rules in the place of this instance's on the host; its wires must be open. */
    void reload(UnaryOperator<Ruleset> change) {
        Ipv4Range block = opened.getLast().range();
        Ruleset rules = HostRules.of(
                names,
                Ipv4.of(block.first() + 1),
                WireConfig.DEFAULT_RESOLVER_PORT,
                block,
                List.of(uplink()),
                List.of(uplink()));
        NetworkTools.prompt().nft(change.apply(rules).script(), Deadline.inSeconds(10));
    }

    /** Has what is for these addresses go where the host sends it, instead of into the world. */
    void knowTheWayTo(Ipv4Range destinations) {
        run("ip", "route", "add", "throw", destinations.toString(), "table", Integer.toString(routingTable));
    }

    /** Has the world send what is for these addresses to this host. */
    void tellTheWorld(Ipv4Range destinations) {
        inWorld("ip", "route", "add", destinations.toString(), "via", near, "dev", "host0", "onlink", "table", "local");
    }

    /** The world, as the host reaches it. */
    public InetSocketAddress worldSocket(int port) {
        return new InetSocketAddress(far, port);
    }

    /** How many packets have arrived in the world. */
    public long arrived() {
        return seen(world());
    }

    /** How many frames a sink has counted. */
    static long seen(Path namespace) {
        String listing = Command.of("nsenter", "--net=" + namespace, "nft", "-j", "list", "counters")
                .check(Deadline.inSeconds(10))
                .output();
        for (JsonNode entry : Json.parse(listing).path("nftables")) {
            if (entry.path("counter").path("name").asString("").equals("seen")) {
                return entry.path("counter").path("packets").asLong(-1);
            }
        }
        throw new AssertionError("there is no sink in " + namespace);
    }

    public <T> T inWorld(Callable<T> work) {
        return NetworkNamespace.inside(world(), work, Deadline.inSeconds(5));
    }

    public String inWorld(String... command) {
        List<String> words = new ArrayList<>(List.of("nsenter", "--net=" + world()));
        words.addAll(List.of(command));
        return Command.of(words).check(Deadline.inSeconds(10)).output();
    }

    public static String run(String... command) {
        return Command.of(command).check(Deadline.inSeconds(10)).output();
    }

    public static void await(String what, BooleanSupplier condition) {
        Deadline deadline = Deadline.inSeconds(10);
        while (!condition.getAsBoolean()) {
            if (deadline.passed()) {
                throw deadline.exceeded(what);
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    /** The namespaces of this instance's wires. */
    public List<String> namespaces() {
        return names.namespaceSlots().stream()
                .map(slot -> names.namespace(WireNames.id(slot)))
                .toList();
    }

    /** Everything on this host that carries the digits of this instance, except the world itself. */
    public List<String> traces() {
        List<String> found = new ArrayList<>();
        for (String listing : List.of(
                run("ip", "netns", "list"),
                run("ip", "-o", "link", "show"),
                run("ip", "-o", "address", "show"),
                run("ip", "route", "show", "table", "all"),
                run("ip", "neighbour", "show", "nud", "all"),
                run("nft", "list", "tables"))) {
            listing.lines()
                    .filter(line -> line.contains(instance()))
                    .filter(line -> !line.contains(worldName()) && !line.contains(uplink()))
                    .forEach(found::add);
        }
        return found;
    }

    @Override
    public void close() {
        opened.reversed().forEach(Wires::close);
        if (routed) {
            String table = Integer.toString(routingTable);
            Command.of("ip", "rule", "delete", "priority", table).run(Deadline.inSeconds(10));
            Command.of("ip", "route", "flush", "table", table).run(Deadline.inSeconds(10));
        }
        removeLeftovers();
        FileOwner.deleteTree(home);
    }

    /** Also after a test that failed half-way. */
    private void removeLeftovers() {
        Deadline deadline = Deadline.inSeconds(20);
        List<String> lines = new ArrayList<>();
        for (String name : Interfaces.names()) {
            if (name.contains(instance())) {
                lines.add("link delete " + name);
            }
        }
        for (int slot : names.namespaceSlots()) {
            lines.add("netns delete " + names.namespace(WireNames.id(slot)));
        }
        if (Files.exists(world())) {
            lines.add("netns delete " + worldName());
        }
        if (!lines.isEmpty()) {
            NetworkTools.prompt().ip(lines, deadline);
        }
        NetworkTools.prompt().nft(HostRules.removal(names), deadline);
    }
}
