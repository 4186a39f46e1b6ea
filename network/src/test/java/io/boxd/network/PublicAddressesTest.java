package io.boxd.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which addresses are taken for the internet's. */
@Tag("unit")
class PublicAddressesTest {
    @Test
    void theInternetIsPublic() {
        for (String address :
                List.of("1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450::1", "::ffff:1.1.1.1")) {
            assertThat(PublicAddresses.contain(InetAddress.ofLiteral(address)))
                    .as(address)
                    .isTrue();
        }
    }

    @Test
    void everythingElseIsNot() {
        for (String address : List.of(
                "127.0.0.1",
                "0.0.0.0",
                "10.1.2.3",
                "172.31.0.1",
                "192.168.1.1",
                "169.254.169.254",
                "100.124.0.2",
                "198.18.0.1",
                "224.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "fe80::1",
                "fc00::1",
                "fd00:ec2::254",
                "fec0::1",
                "ff02::1",
                "::ffff:127.0.0.1",
                "::127.0.0.1",
                "64:ff9b::7f00:1",
                "2002:7f00:1::",
                "2001::1",
                "2001:db8::1",
                "3fff::1")) {
            assertThat(PublicAddresses.contain(InetAddress.ofLiteral(address)))
                    .as(address)
                    .isFalse();
        }
    }
}
