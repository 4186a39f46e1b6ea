package io.boxd.vmm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.guest.AgentConnection;
import io.boxd.guest.DialTarget;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.FileChange;
import io.boxd.guest.FileDownload;
import io.boxd.guest.FileUpload;
import io.boxd.guest.FileWatch;
import io.boxd.guest.GuestConnection;
import io.boxd.guest.GuestFiles;
import io.boxd.guest.GuestPath;
import io.boxd.guest.GuestTrees;
import io.boxd.guest.MachineMetrics;
import io.boxd.guest.PortEvent;
import io.boxd.guest.PortListener;
import io.boxd.guest.PortWatch;
import io.boxd.guest.ReadOptions;
import io.boxd.guest.TreeDownload;
import io.boxd.guest.WriteOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Files, trees, ports, connections and figures of a real machine. */
@Tag("machine")
class MachineFilesTest {
    /** Both trees must fit among the few files that the smallest disk can hold. */
    private static final int MANY_FILES = TestHouse.LONG ? 3000 : 200;

    private static final int CHANGES = TestHouse.LONG ? 1000 : 100;
    private static final int LARGE_BYTES = TestHouse.LONG ? 100 << 20 : 8 << 20;
    private static final Duration STALL = Duration.ofSeconds(60);

    private TestHouse house;
    private Machine machine;
    private AgentConnection agent;
    private GuestFiles files;

    @BeforeEach
    void start() {
        house = TestHouse.get();
        machine = house.start(house.tinyBase());
        agent = machine.agent();
        files = agent.files("");
    }

    @AfterEach
    void end() {
        machine.close();
    }

    private static Deadline soon() {
        return Deadline.inSeconds(120);
    }

    private static GuestPath path(String text) {
        return GuestPath.of(text);
    }

    private void write(String target, String content) {
        files.write(path(target), new ByteArrayInputStream(content.getBytes(UTF_8)), WriteOptions.replace(), soon());
    }

    private static String read(AgentConnection agent, String source) throws IOException {
        try (FileDownload download = agent.files("").read(path(source), ReadOptions.all(), soon())) {
            return new String(download.readAllBytes(), UTF_8);
        }
    }

    @Test
    void movesContentBothWays() throws IOException {
        byte[] content = new byte[LARGE_BYTES];
        new Random(1).nextBytes(content);
        GuestPath target = path("/data/large");
        files.write(target, new ByteArrayInputStream(content), WriteOptions.replace(), soon());
        assertThat(TestHouse.sh(machine, "wc -c < /data/large").strip()).isEqualTo(Integer.toString(LARGE_BYTES));
        try (FileDownload download = files.read(target, ReadOptions.all().withHash(), soon())) {
            assertThat(download.readAllBytes()).isEqualTo(content);
        }
    }

    @Test
    void movesTreesIntoAForkedMachine() throws IOException {
        TestHouse.sh(
                machine,
                "mkdir -p /data/from/d && cd /data/from && for i in $(seq " + MANY_FILES + "); do echo $i > d/f$i; done"
                        + " && ln d/f1 hard && ln -s d/f2 soft && truncate -s 4G sparse && echo end >> sparse");
        Machine child = house.fork(machine);
        try (TreeDownload download = agent.trees("").pack(path("/data/from"), soon())) {
            GuestTrees.Unpacked unpacked = child.agent().trees("").unpack(path("/data/to"), download, true, soon());
            assertThat(unpacked.entries()).isEqualTo(MANY_FILES + 4);
            assertThat(unpacked.contentBytes()).isLessThan(1 << 20);
        }
        String compare =
                "cd /data && find from | wc -l && find to | wc -l && cat to/hard to/soft && tail -c 4 to/sparse"
                        + " && cmp from/d/f7 to/d/f7 && du -k to/sparse | cut -f 1";
        assertThat(TestHouse.sh(child, compare).lines().limit(5))
                .containsExactly(Integer.toString(MANY_FILES + 5), Integer.toString(MANY_FILES + 5), "1", "2", "end");
        child.close();
    }

    @Test
    void anUploadThatAForkInterruptsLeavesNothingBehind() throws IOException {
        write("/data/a", "old");
        try (FileUpload upload = files.write(path("/data/a"), WriteOptions.replace(), soon())) {
            upload.write(new byte[100_000]);
            Machine child = house.fork(machine);
            assertThat(read(child.agent(), "/data/a")).isEqualTo("old");
            assertThat(TestHouse.sh(child, "ls -A /data | grep -v lost").strip())
                    .isEqualTo("a");
            child.close();
            upload.write("new".getBytes(UTF_8));
            upload.commit(soon());
        }
        assertThat(read(agent, "/data/a")).hasSize(100_003).endsWith("new");
    }

    @Test
    void aUserIsNotRoot() {
        write("/data/secret", "secret");
        TestHouse.sh(machine, "chmod 600 /data/secret");
        GuestFiles nobody = agent.files("nobody");
        assertThatThrownBy(() -> nobody.read(path("/data/secret"), ReadOptions.all(), soon()))
                .isInstanceOfSatisfying(
                        BoxdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PERMISSION_DENIED));
        nobody.write(path("/tmp/own"), new ByteArrayInputStream(new byte[1]), WriteOptions.replace(), soon());
        assertThat(nobody.stat(path("/tmp/own"), soon()).user()).isEqualTo("nobody");
    }

    @Test
    void seesChanges() {
        try (FileWatch watch = files.watch(path("/tmp"), true, soon())) {
            TestHouse.sh(machine, "mkdir /tmp/d; for i in $(seq " + CHANGES + "); do echo > /tmp/d/$i; done");
            Set<String> seen = new HashSet<>();
            Deadline deadline = soon();
            while (seen.size() < CHANGES) {
                Optional<FileChange> change = watch.next(deadline);
                assertThat(change).as("change behind " + seen.size()).isPresent();
                if (!change.get().folder()) {
                    seen.add(change.get().path().toString());
                }
            }
        }
    }

    @Test
    void tellsOfPortsAndConnectsToThem() throws IOException {
        try (PortWatch watch = agent.ports().watch(soon())) {
            assertThat(watch.notified())
                    .as("the kernel of our images tells at once")
                    .isTrue();
            try (var server = agent.start(ExecRequest.argv("nc", "-l", "-p", "8000", "-e", "cat"), soon())) {
                PortListener listener = await(watch, PortEvent.Kind.OPENED);
                assertThat(listener.pid()).isEqualTo(server.pid());
                try (GuestConnection connection = agent.dial(DialTarget.port(8000), STALL, soon())) {
                    connection.output().write("echo".getBytes(UTF_8));
                    connection.output().close();
                    assertThat(connection.input().readAllBytes())
                            .asString(UTF_8)
                            .isEqualTo("echo");
                }
                await(watch, PortEvent.Kind.CLOSED);
            }
        }
        assertThatThrownBy(() -> agent.dial(DialTarget.port(8000), STALL, soon()))
                .hasMessageContaining("nothing listens on port 8000");
    }

    private static PortListener await(PortWatch watch, PortEvent.Kind kind) {
        Deadline deadline = soon();
        while (true) {
            Optional<PortEvent> event = watch.next(deadline);
            assertThat(event).as(kind + " of port 8000").isPresent();
            if (event.get().kind() == kind && event.get().listener().port() == 8000) {
                return event.get().listener();
            }
        }
    }

    @Test
    void countsItsOwn() {
        MachineMetrics metrics = agent.metrics(soon());
        assertThat(metrics.processor().count()).isOne();
        assertThat(metrics.memory().total()).isBetween(100L << 20, 256L << 20);
        assertThat(metrics.disks()).extracting(MachineMetrics.Disk::mountedOn).containsExactly("/", "/data");
    }
}
