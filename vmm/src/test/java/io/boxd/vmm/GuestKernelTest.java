package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The kernel that images bring bears what machines do to it. */
@Tag("machine")
class GuestKernelTest {
    private final TestHouse house = TestHouse.get();

    /** There was a kernel whose ext4 died when a bitmap had left the page cache, which a base's always have. */
    @Test
    void aMachineWithoutCachesAllocatesInEveryGroupOfItsDisk() {
        try (Machine machine = house.start(house.debianBase())) {
            sh(machine, "sync; echo 3 > /proc/sys/vm/drop_caches");
            sh(machine, "mkdir /var/tmp/groups && cd /var/tmp/groups && for i in $(seq 40); do mkdir $i; done");
            sh(machine, "fallocate -l 600M /var/tmp/groups/large");
            assertThat(sh(machine, "dmesg | grep -cE 'BUG:|Oops|EXT4-fs error'; true"))
                    .isEqualTo("0");
        }
    }
}
