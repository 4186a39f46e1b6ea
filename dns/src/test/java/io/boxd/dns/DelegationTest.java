package io.boxd.dns;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.SimpleResolver;

/** That it is noticed where names lead, from the outside. */
@Tag("unit")
final class DelegationTest {
    private static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");
    private static final List<InetAddress> DOORS = Questions.ZONE.doors();

    private final DnsServer server = DnsServer.open(new DnsConfig(HERE, 0, Questions.ZONE), new Challenges());

    @AfterEach
    void close() {
        server.close();
    }

    private Optional<String> obstacle(String domain, List<InetAddress> doors) throws IOException {
        return Delegation.obstacle(
                new SimpleResolver(new InetSocketAddress(HERE, server.port())), domain, doors, Deadline.inSeconds(5));
    }

    @Test
    void whereItIsRightNothingIsInTheWay() throws IOException {
        assertThat(obstacle("boxes.example", DOORS)).isEmpty();
    }

    @Test
    void anotherAddressAnotherAnswerAndNoneAreTold() throws IOException {
        assertThat(obstacle("boxes.example", List.of(InetAddress.ofLiteral("198.51.100.1"))))
                .hasValueSatisfying(why -> assertThat(why).contains("lead to 192.0.2.7"));
        assertThat(obstacle("elsewhere.example", DOORS))
                .hasValueSatisfying(why -> assertThat(why).contains("REFUSED"));
        server.close();
        assertThat(obstacle("boxes.example", DOORS))
                .hasValueSatisfying(why -> assertThat(why).contains("do not answer"));
    }
}
