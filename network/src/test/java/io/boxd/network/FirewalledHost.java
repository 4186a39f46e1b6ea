package io.boxd.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A host with a firewall of somebody else's, to be run in namespaces of its own: it changes the rules around it. */
final class FirewalledHost implements AutoCloseable {
    /** Kinds that are met in the field; each stops whatever it does not know. */
    enum Firewall {
        OWN_TABLE,
        /** As Docker leaves them: a policy, and a chain for the administrator. */
        DOCKER,
        /** As ufw does: incoming connections, too. */
        INPUT_AND_FORWARD,
        /** A last rule instead of a policy. */
        LAST_RULE;

        private void load() {
            if (this != OWN_TABLE && this != LAST_RULE && hasIptables()) {
                iptables();
            } else {
                nft();
            }
        }

        private static boolean hasIptables() {
            return Command.of("sh", "-c", "iptables --version")
                    .run(Deadline.inSeconds(5))
                    .succeeded();
        }

        private void iptables() {
            String docker = "iptables -N DOCKER-USER; iptables -A DOCKER-USER -j RETURN; iptables -P FORWARD DROP;"
                    + " iptables -A FORWARD -j DOCKER-USER";
            String both = "iptables -A INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT;"
                    + " iptables -A INPUT -i lo -j ACCEPT; iptables -P INPUT DROP; iptables -P FORWARD DROP";
            Command.of("sh", "-ec", this == DOCKER ? docker : both).check(Deadline.inSeconds(10));
        }

        private void nft() {
            NetworkTools.prompt()
                    .nft(
                            switch (this) {
                                case OWN_TABLE -> """
                                    table inet firewall {
                                      chain through { type filter hook forward priority 0; policy drop; }
                                    }
                                    """;
                                case DOCKER -> """
                                    table ip filter {
                                      chain DOCKER-USER { counter return; }
                                      chain FORWARD { type filter hook forward priority 0; policy drop;
                                        counter jump DOCKER-USER
                                      }
                                    }
                                    """;
                                case INPUT_AND_FORWARD -> """
                                    table ip filter {
                                      chain INPUT { type filter hook input priority 0; policy drop;
                                        ct state established,related accept
                                        iifname "lo" accept
                                      }
                                      chain FORWARD { type filter hook forward priority 0; policy drop; }
                                    }
                                    """;
                                case LAST_RULE -> """
                                    table inet zones {
                                      chain THROUGH { type filter hook forward priority 10; policy accept;
                                        ct state established,related accept
                                        counter reject with icmpx admin-prohibited
                                      }
                                    }
                                    """;
                            },
                            Deadline.inSeconds(10));
        }
    }

    /** No name, only a kind of question that our resolver refuses by itself. */
    private static final byte[] QUESTION = {0, 7, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0};

    private static final int SYN = 0x02;

    private final TestingHost host = TestingHost.open();
    private final WireConfig config = host.config(0, List.of(host.worldSocket(53)));
    private final TestingMachine machine = TestingMachine.on(host.open(config).take());

    private int nextPort = 42_000;

    /** Arguments: the firewall, and whether to follow the advice. */
    public static void main(String[] arguments) throws IOException {
        Firewall firewall = Firewall.valueOf(arguments[0]);
        try (FirewalledHost host = new FirewalledHost();
                FileOutputStream out = new FileOutputStream(FileDescriptor.out)) {
            host.check(firewall, Boolean.parseBoolean(arguments[1]));
            out.write("as it should be\n".getBytes(StandardCharsets.US_ASCII));
        }
    }

    private void check(Firewall firewall, boolean follow) {
        assertThat(obstacles()).isEmpty();
        assertThat(reachesTheWorld(Deadline.inSeconds(5))).isTrue();
        assertThat(isAnswered(Deadline.inSeconds(5))).isTrue();
        firewall.load();
        boolean both = firewall == Firewall.INPUT_AND_FORWARD;
        assertThat(reachesTheWorld(Deadline.inMillis(500)))
                .as("through a firewall")
                .isFalse();
        assertThat(isAnswered(Deadline.inMillis(500))).as("asks for names").isEqualTo(!both);
        List<Obstacle> found = obstacles();
        assertThat(found).hasSize(both ? 2 : 1);
        if (follow) {
            found.forEach(obstacle -> TestingHost.run("sh", "-ec", obstacle.remedy()));
        }
        assertThat(reachesTheWorld(Deadline.inSeconds(2)))
                .as("reaches the world once the advice was followed: " + found)
                .isTrue();
        assertThat(isAnswered(Deadline.inSeconds(2))).isTrue();
        assertThat(obstacles()).isEmpty();
    }

    private List<Obstacle> obstacles() {
        return HostObstacles.find(config, Deadline.inSeconds(10));
    }

    /** Each time from another port: what a firewall has let through before, it goes on to let through. */
    private boolean reachesTheWorld(Deadline deadline) {
        long before = host.arrived();
        machine.send(Frames.ip(Frames.tcp(Addresses.GUEST, nextPort++, TestingHost.WORLD, 80, 1, 0, SYN)));
        // Nobody listens there, and the world says so.
        boolean answered = machine.receiveIp(Frames.TCP, deadline).isPresent();
        assertThat(host.arrived()).isEqualTo(answered ? before + 1 : before);
        return answered;
    }

    private boolean isAnswered(Deadline deadline) {
        machine.send(Frames.ip(Frames.udp(Addresses.GUEST, nextPort++, Addresses.RESOLVER, 53, QUESTION)));
        return machine.receiveIp(Frames.UDP, deadline).isPresent();
    }

    @Override
    public void close() {
        machine.close();
        host.close();
    }
}
