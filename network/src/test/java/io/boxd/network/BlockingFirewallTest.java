package io.boxd.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Firewalls that really stop packets, on a host that exists only for the test: a process with a network, a /run and
 * a /sys of its own, see {@link FirewalledHost}. The firewall of the real host is not touched.
 */
@Tag("host")
class BlockingFirewallTest {
    private static final String ON_A_HOST_OF_ITS_OWN =
            "mount -t sysfs sysfs /sys && mount -t tmpfs tmpfs /run && ip link set lo up && exec \"$@\"";

    private Path folder;

    @BeforeEach
    void open() throws IOException {
        folder = Files.createTempDirectory("boxd-firewall-");
    }

    @AfterEach
    void close() {
        FileOwner.deleteTree(folder);
    }

    /** Packets are stopped, the firewall is named, the advice is followed to the letter, and packets flow. */
    @ParameterizedTest
    @EnumSource
    void theAdviceLetsPacketsThrough(FirewalledHost.Firewall firewall) {
        assertThat(host(firewall, true)).endsWith("as it should be");
    }

    /** The red control: who does not follow it is noticed. */
    @Test
    void withoutTheAdviceNothingFlows() {
        assertThatThrownBy(() -> host(FirewalledHost.Firewall.OWN_TABLE, false))
                .isInstanceOf(BoxdException.class)
                .hasMessageContaining("once the advice was followed");
    }

    private String host(FirewalledHost.Firewall firewall, boolean follow) {
        return Command.of(
                        "unshare",
                        "--net",
                        "--mount",
                        "sh",
                        "-ec",
                        ON_A_HOST_OF_ITS_OWN,
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx128m",
                        "-Djava.io.tmpdir=" + folder,
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        FirewalledHost.class.getName(),
                        firewall.name(),
                        Boolean.toString(follow))
                .check(Deadline.inSeconds(60))
                .output()
                .strip();
    }
}
