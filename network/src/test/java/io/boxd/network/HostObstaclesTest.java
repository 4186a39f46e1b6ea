package io.boxd.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Firewalls of others, as nft lists them in a namespace made for the test. */
@Tag("host")
class HostObstaclesTest {
    private static final String DOCKER = """
            table ip filter {
              chain DOCKER-USER { }
              chain FORWARD { type filter hook forward priority 0; policy drop;
                jump DOCKER-USER
              }
            }
            """;

    private static final String UFW = """
            table ip filter {
              chain INPUT { type filter hook input priority 0; policy drop; }
              chain FORWARD { type filter hook forward priority 0; policy drop; }
            }
            """;

    private static final String OWN = """
            table inet firewall {
              chain through { type filter hook forward priority 0; policy drop; }
            }
            table inet boxd_abcdef {
              chain through { type filter hook forward priority 0; policy drop; }
            }
            """;

    private static final String LAST_RULE = """
            table inet zones {
              chain FORWARD_ALL { type filter hook forward priority 10; policy accept;
                ct state established,related accept
                iifname "vb0" drop
                counter reject with icmpx admin-prohibited
              }
              chain OUTPUT { type filter hook output priority 10; policy accept;
                reject
              }
              chain INPUT { type filter hook input priority 10; policy accept;
                ip saddr 192.0.2.9 drop
              }
            }
            """;

    private static final FirewallAdvice ADVICE = new FirewallAdvice(true, 5053);

    @Test
    void nothingIsInTheWayOfAnEmptyHost() {
        assertThat(find("table inet other { chain x { type filter hook forward priority 0; policy accept; }\n}\n"))
                .isEmpty();
    }

    @Test
    void dockerIsToldInItsOwnChain() {
        assertThat(find(DOCKER)).singleElement().satisfies(obstacle -> {
            assertThat(obstacle.what()).contains("FORWARD").contains("forward");
            assertThat(obstacle.remedy()).contains("iptables -I DOCKER-USER -i bx-+ -j ACCEPT");
        });
    }

    @Test
    void bothHooksOfUfwAreTold() {
        assertThat(find(UFW))
                .hasSize(2)
                .extracting(Obstacle::remedy)
                .satisfiesExactly(
                        input -> assertThat(input).contains("-p udp --dport 5053"),
                        forward -> assertThat(forward).contains("-I FORWARD").contains("before.rules"));
    }

    @Test
    void ownTablesAreNotObstaclesAndOthersAre() {
        assertThat(find(OWN))
                .singleElement()
                .satisfies(obstacle -> assertThat(obstacle.remedy())
                        .startsWith("nft 'insert rule inet firewall through iifname \"bx-*\" accept"));
    }

    /** Whoever follows the advice to the letter is not told again. */
    @Test
    void theRemedyWorks() {
        String listing = listing(OWN, find(OWN).getFirst().remedy());
        assertThat(HostObstacles.inRules(listing, ADVICE)).isEmpty();
    }

    /** A host whose chains look like those of iptables need not have that program. */
    @Test
    void whatTheHostHasIsAdvised() {
        FirewallAdvice advice = new FirewallAdvice(false, 5053);
        List<Obstacle> found = HostObstacles.inRules(listing(DOCKER, "true"), advice);
        assertThat(found)
                .singleElement()
                .satisfies(obstacle -> assertThat(obstacle.remedy())
                        .startsWith("nft 'insert rule ip filter DOCKER-USER iifname \"bx-*\" accept'"));
        String listing = listing(DOCKER, found.getFirst().remedy());
        assertThat(HostObstacles.inRules(listing, advice)).isEmpty();
    }

    @Test
    void aRuleThatRefusesTheRestIsToldLikeAPolicy() {
        assertThat(find(LAST_RULE))
                .extracting(Obstacle::remedy)
                .singleElement()
                .asString()
                .contains("inet zones FORWARD_ALL");
    }

    private static List<Obstacle> find(String rules) {
        return HostObstacles.inRules(listing(rules, "true"), ADVICE);
    }

    /** Loads the rules in a namespace that ends with the command, follows the remedy, and lists. */
    private static String listing(String rules, String remedy) {
        return Command.of("unshare", "--net", "sh", "-c", "nft -f - && " + remedy + "\nnft -j list ruleset")
                .withInput(rules)
                .check(Deadline.inSeconds(10))
                .output();
    }
}
