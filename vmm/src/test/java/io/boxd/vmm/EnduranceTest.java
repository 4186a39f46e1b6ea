package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;

import io.boxd.common.Deadline;
import io.boxd.guest.ExecRequest;
import io.boxd.guest.Execution;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Much of the same: nothing piles up on the host. */
@Tag("machine")
class EnduranceTest {
    private static final int FORKS = TestHouse.LONG ? 500 : 12;
    private static final int MEGABYTES = TestHouse.LONG ? 1024 : 16;
    private static final long ALLOWED_GROWTH = 8L << 20;

    private final TestHouse house = TestHouse.get();

    @Test
    void theHeapStaysFlatOverManyForks() {
        try (Machine source = house.start(house.tinyBase())) {
            forkAndClose(source, 4);
            long before = heap();
            long descriptors = descriptors();
            forkAndClose(source, FORKS);
            assertThat(heap() - before).isLessThan(ALLOWED_GROWTH);
            assertThat(descriptors() - descriptors).isLessThan(20);
            assertThat(source.disk().layers().size()).isLessThan(FORKS);
        }
    }

    private void forkAndClose(Machine source, int times) {
        for (int i = 0; i < times; i++) {
            try (Machine child = house.fork(source)) {
                assertThat(sh(child, "echo alive")).isEqualTo("alive");
            }
        }
    }

    @Test
    void muchOutputOfOneCommandArrivesIntactAndGrowsNoHeap() throws Exception {
        try (Machine machine = house.start(house.tinyBase())) {
            String made = "dd if=/dev/zero bs=64k count=" + MEGABYTES * 16 + " 2>/dev/null | tr '\\000' x";
            String expected = hash(new RepeatedByte('x', MEGABYTES << 20));
            long before = heap();
            try (Execution flood =
                    machine.agent().start(ExecRequest.argv("/bin/sh", "-c", made), Deadline.inSeconds(600))) {
                assertThat(hash(flood.stdout())).isEqualTo(expected);
            }
            assertThat(heap() - before).isLessThan(ALLOWED_GROWTH);
        }
    }

    private static final class RepeatedByte extends InputStream {
        private final int value;
        private long left;

        RepeatedByte(int value, long count) {
            this.value = value;
            this.left = count;
        }

        @Override
        public int read() {
            return left-- > 0 ? value : -1;
        }

        @Override
        public int read(byte[] target, int from, int length) {
            if (left <= 0) {
                return -1;
            }
            int n = (int) Math.min(length, left);
            Arrays.fill(target, from, from + n, (byte) value);
            left -= n;
            return n;
        }
    }

    private static String hash(InputStream stream) throws IOException {
        MessageDigest hash = Hashes.sha256();
        byte[] chunk = new byte[1 << 16];
        for (int n = stream.read(chunk); n >= 0; n = stream.read(chunk)) {
            hash.update(chunk, 0, n);
        }
        return HexFormat.of().formatHex(hash.digest());
    }

    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static long descriptors() {
        String[] open = new File("/proc/self/fd").list();
        return open == null ? 0 : open.length;
    }
}
