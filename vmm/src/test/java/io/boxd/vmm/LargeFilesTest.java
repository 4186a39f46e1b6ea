package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.guest.FileDownload;
import io.boxd.guest.FileUpload;
import io.boxd.guest.GuestPath;
import io.boxd.guest.GuestTrees;
import io.boxd.guest.ReadOptions;
import io.boxd.guest.TreeDownload;
import io.boxd.guest.WriteOptions;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Files that are large or many, on the disk of a whole distribution. */
@Tag("machine")
class LargeFilesTest {
    private static final long LARGE_BYTES = TestHouse.LONG ? 4L << 30 : 16L << 20;
    private static final int MANY_FILES = TestHouse.LONG ? 10_000 : 300;
    private static final int CHUNK = 1 << 20;

    private final TestHouse house = TestHouse.get();

    private static Deadline eventually() {
        return Deadline.inSeconds(TestHouse.LONG ? 1800 : 180);
    }

    @Test
    void aLargeFileArrivesWholeBothWays() throws IOException {
        try (Machine machine = house.start(house.debianBase())) {
            GuestPath target = GuestPath.of("/var/tmp/large");
            byte[] chunk = new byte[CHUNK];
            new Random(7).nextBytes(chunk);
            MessageDigest sent = MachineFlood.sha256();
            try (FileUpload upload = machine.agent().files("").write(target, WriteOptions.replace(), eventually())) {
                for (long at = 0; at < LARGE_BYTES; at += CHUNK) {
                    // No two pieces alike: one that came twice or in the wrong place would show.
                    chunk[0] = (byte) (at / CHUNK);
                    chunk[1] = (byte) (at / CHUNK / 256);
                    upload.write(chunk);
                    sent.update(chunk);
                }
                assertThat(upload.commit(eventually())).isEqualTo(LARGE_BYTES);
            }
            MessageDigest received = MachineFlood.sha256();
            try (FileDownload download = machine.agent().files("").read(target, ReadOptions.all(), eventually())) {
                int count = download.read(chunk);
                while (count >= 0) {
                    received.update(chunk, 0, count);
                    count = download.read(chunk);
                }
            }
            assertThat(received.digest()).isEqualTo(sent.digest());
        }
    }

    @Test
    void manyFilesMoveFromAMachineToItsFork() throws IOException {
        try (Machine machine = house.start(house.debianBase())) {
            sh(
                    machine,
                    "mkdir /var/tmp/from && cd /var/tmp/from && seq " + MANY_FILES
                            + " | awk '{ file = \"f\" $1; print $1 > file; close(file) }'");
            try (Machine child = house.fork(machine);
                    TreeDownload download =
                            machine.agent().trees("").pack(GuestPath.of("/var/tmp/from"), eventually())) {
                GuestTrees.Unpacked unpacked =
                        child.agent().trees("").unpack(GuestPath.of("/var/tmp/to"), download, true, eventually());
                assertThat(unpacked.entries()).isEqualTo(MANY_FILES);
                assertThat(sh(child, "diff -r /var/tmp/from /var/tmp/to && ls /var/tmp/to | wc -l"))
                        .isEqualTo(Integer.toString(MANY_FILES));
            }
        }
    }
}
