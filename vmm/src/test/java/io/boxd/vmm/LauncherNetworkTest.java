package io.boxd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.linux.Command;
import io.boxd.linux.FileOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A tap in a namespace that somebody else has made: attached to if it is one, and never made. */
@Tag("jail")
class LauncherNetworkTest {
    private static final int UID = 1_900_000_001;

    private Path home;
    private String name;
    private Path namespace;
    private CellFolder cell;

    @BeforeEach
    void prepare() throws IOException {
        home = Files.createTempDirectory("boxd-launcher-");
        name = "boxd-" + Engine.instanceId(home) + "-test";
        namespace = Path.of("/run/netns", name);
        cell = CellFolder.create(home.resolve("cell"), UID);
        run("ip", "netns", "add", name);
    }

    @AfterEach
    void takeAway() {
        run("ip", "netns", "delete", name);
        FileOwner.deleteTree(home);
    }

    private static String run(String... command) {
        return Command.of(command).check(Deadline.inSeconds(10)).output();
    }

    /** As the engine calls it, but for a program that is not there: it gets far and starts nothing. */
    private String launch(Path network) {
        List<String> command =
                new ArrayList<>(List.of(TestHouse.release("boxd-launcher").toString()));
        command.addAll(List.of("--folder", cell.path().toString(), "--uid", Integer.toString(UID)));
        command.addAll(List.of(
                "--bundle",
                TestHouse.get().engine().host().bundle().root().toString(),
                "--program",
                "/usr/bin/absent"));
        command.addAll(List.of("--disks", cell.disk().toString(), "--tap", "tap0", "--network", network.toString()));
        command.add("--");
        Command.Result result = Command.of(command).run(Deadline.inSeconds(20));
        assertThat(result.status()).isEqualTo(1);
        return result.errors().strip();
    }

    @Test
    void aPersistentTapIsAttachedToAndLeftAsItIs() {
        run("ip", "-netns", name, "tuntap", "add", "dev", "tap0", "mode", "tap", "vnet_hdr");
        assertThat(launch(namespace)).startsWith("error: program: ");
        assertThat(run("ip", "-netns", name, "link", "show", "tap0"))
                .contains("tap0")
                .contains("state DOWN");
    }

    @Test
    void aTapThatIsMissingIsNotMade() {
        assertThat(launch(namespace)).startsWith("error: attach tap: there is none");
        assertThat(run("ip", "-netns", name, "-o", "link", "show")).doesNotContain("tap0");
    }

    @Test
    void whatIsNoNetworkNamespaceIsRefused() throws IOException {
        run("ip", "-netns", name, "tuntap", "add", "dev", "tap0", "mode", "tap", "vnet_hdr");
        Path file = Files.writeString(home.resolve("file"), "x");
        Path link = Files.createSymbolicLink(home.resolve("link"), namespace);
        Path other = Path.of("/proc/self/ns/mnt");
        for (Path wrong : List.of(home.resolve("absent"), file, link, other, home)) {
            assertThat(launch(wrong)).as("%s", wrong).startsWith("error: network: ");
        }
    }
}
