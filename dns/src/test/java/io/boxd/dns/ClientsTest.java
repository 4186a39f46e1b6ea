package io.boxd.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The door as the programs see it that people ask DNS with: those of three different makers. */
@Tag("unit")
final class ClientsTest {
    private final Challenges challenges = new Challenges();
    private final DnsServer server =
            DnsServer.open(new DnsConfig(InetAddress.ofLiteral("127.0.0.1"), 0, Questions.ZONE), challenges);

    @AfterEach
    void close() {
        server.close();
    }

    private String ask(String program, String... words) {
        List<String> line = Stream.concat(
                        Stream.of(program, "@127.0.0.1", "-p", String.valueOf(server.port())), Stream.of(words))
                .toList();
        Command.Result result = Command.of(line).run(Deadline.inSeconds(30));
        assertThat(result.status()).as("%s: %s", line, result.errors()).isZero();
        return result.output();
    }

    @Test
    void allOfThemFindABox() {
        assertThat(ask("dig", "+short", "task.boxes.example", "A")).isEqualTo("192.0.2.7\n");
        assertThat(ask("dig", "+short", "+tcp", "task.boxes.example", "AAAA")).isEqualTo("2001:db8::7\n");
        assertThat(ask("kdig", "+short", "3000-task.boxes.example", "A")).isEqualTo("192.0.2.7\n");
        assertThat(ask("kdig", "+short", "+tcp", "+keepopen", "sub.task.boxes.example", "A", "boxes.example", "A"))
                .isEqualTo("192.0.2.7\n192.0.2.7\n");
        assertThat(ask("drill", "task.boxes.example", "A")).contains("NOERROR", "\t60\tIN\tA\t192.0.2.7");
        assertThat(ask("drill", "-t", "task.boxes.example", "A")).contains("\t60\tIN\tA\t192.0.2.7");
    }

    @Test
    void theySeeAnAuthoritativeServerThatKeepsToItsZone() {
        String start = ask("dig", "+norec", "boxes.example", "SOA");
        assertThat(start).contains("flags: qr aa;", "hostmaster.boxes.example.").doesNotContain("WARNING");
        assertThat(ask("dig", "+noall", "+comments", "nothing_here.boxes.example", "A"))
                .contains("status: NXDOMAIN", "AUTHORITY: 1");
        assertThat(ask("kdig", "task.boxes.example", "MX")).contains("status: NOERROR", "ANSWER: 0", "AUTHORITY: 1");
        assertThat(ask("drill", "example.org", "A")).contains("rcode: REFUSED");
        assertThat(ask("dig", "+noall", "+comments", "boxes.example", "AXFR")).doesNotContain("NOERROR");
        assertThat(ask("dig", "+short", "boxes.example", "CAA")).isEqualTo("0 issue \"ca.example\"\n");
        assertThat(ask("kdig", "+short", "boxes.example", "NS")).contains("ns1.boxes.example.");
        assertThat(ask("dig", "+short", "boxes.example", "ANY")).contains("RFC8482");
    }

    @Test
    void whatIsTooLongForUdpTheyFetchByTcp() {
        for (int i = 0; i < 12; i++) {
            challenges.show("boxes.example", "x".repeat(200) + i);
        }
        for (String program : List.of("dig", "kdig")) {
            assertThat(ask(program, "+short", "_acme-challenge.boxes.example", "TXT")
                            .lines())
                    .filteredOn(line -> line.startsWith("\"xxx"))
                    .as(program)
                    .hasSize(12);
        }
        assertThat(ask("dig", "+ignore", "_acme-challenge.boxes.example", "TXT"))
                .contains("flags: qr aa tc");
    }

    @Test
    void theyUnderstandNewerWaysOfAsking() {
        assertThat(ask("dig", "+edns=1", "+noednsneg", "boxes.example", "A")).contains("BADVERS");
        assertThat(ask("dig", "+cookie", "+nsid", "+dnssec", "task.boxes.example", "A"))
                .contains("status: NOERROR", "flags: do", "udp: 1232");
        assertThat(ask("dig", "+noedns", "task.boxes.example", "A"))
                .contains("NOERROR")
                .doesNotContain("EDNS");
        assertThat(ask("kdig", "+bufsize=512", "task.boxes.example", "A")).contains("NOERROR");
        assertThat(ask("dig", "+header-only")).contains("FORMERR");
    }
}
