package io.boxd.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses, routes and resolvers, as they are written on a host. */
@Tag("unit")
class HostFactsTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10.0.0.0",
                "10.0.0.0/33",
                "10.0.0.1/8",
                "10.0.0/8",
                "10.0.0.0.0/8",
                "010.0.0.0/8",
                "10.0.0.256/32",
                "a/8",
                "10.0.0.0/-1",
                "::/8"
            })
    void whatIsNoRangeIsRefused(String text) {
        assertThatThrownBy(() -> Ipv4Range.parse(text)).isInstanceOf(BoxdException.class);
    }

    @Test
    void rangesKnowWhatIsInThem() {
        Ipv4Range range = Ipv4Range.parse("100.124.0.0/14");
        assertThat(range.contains(Ipv4.parse("100.127.255.255"))).isTrue();
        assertThat(range.contains(Ipv4.parse("100.128.0.0"))).isFalse();
        assertThat(range.part(3, 20)).hasToString("100.124.48.0/20");
        assertThat(range.overlaps(Ipv4Range.parse("100.64.0.0/10"))).isTrue();
        assertThat(range.overlaps(Ipv4Range.parse("100.120.0.0/14"))).isFalse();
        assertThat(Ipv4Range.parse("0.0.0.0/0").contains(-1)).isTrue();
    }

    @Test
    void routesAreRead() {
        String table = """
                Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT
                eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
                eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
                bx-1\t02007C64\t00000000\t0005\t0\t0\t0\tFFFFFFFF\t0\t0\t0
                """;
        assertThat(HostRoutes.parse(table))
                .containsExactly(
                        new HostRoutes.Route("eth0", Ipv4Range.parse("0.0.0.0/0")),
                        new HostRoutes.Route("eth0", Ipv4Range.parse("192.0.2.0/24")),
                        new HostRoutes.Route("bx-1", Ipv4Range.parse("100.124.0.2/32")));
    }

    @Test
    void resolversAreReadAgainWhenTheirFileChanges() throws IOException {
        Path file = Files.writeString(folder.resolve("resolv.conf"), "search x\nnameserver 192.0.2.1\n");
        Upstreams upstreams = Upstreams.ofFile(file);
        assertThat(upstreams.servers()).hasSize(1);
        Files.writeString(file, "nameserver 192.0.2.1\nnameserver 2001:db8::1\n");
        Files.setLastModifiedTime(file, FileTime.fromMillis(12_345));
        assertThat(upstreams.servers()).hasSize(2).allMatch(server -> server.getPort() == 53);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "search x\n", "nameserver\n", "nameserver dns.example.org\n"})
    void aFileThatNamesNoResolverIsAnError(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("resolv.conf"), text);
        assertThatThrownBy(() -> Upstreams.ofFile(file).servers()).isInstanceOf(BoxdException.class);
    }

    @Test
    void everythingHasAShortNameWithTheDigitsOfItsInstance() {
        WireNames names = new WireNames("abcdef");
        for (String name : List.of(names.hostInterface("ffff"), names.gateway())) {
            assertThat(name).hasSizeLessThanOrEqualTo(15).contains("abcdef").startsWith(WireNames.ANY_WIRE);
        }
        assertThat(names.idOfInterface("bx-abcdef-00ff")).contains("00ff");
        assertThat(names.idOfInterface("bx-abcdef-gw")).isEmpty();
        assertThat(names.idOfInterface("bx-000000-00ff")).isEmpty();
    }
}
