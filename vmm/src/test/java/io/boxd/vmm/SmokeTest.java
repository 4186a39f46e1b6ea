package io.boxd.vmm;

import static io.boxd.vmm.TestHouse.sh;

import io.boxd.common.Deadline;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("machine")
class SmokeTest {
    @Test
    void smoke() {
        TestHouse house = TestHouse.get();
        long t = System.nanoTime();
        Base base = house.tinyBase();
        t = lap("base", t);
        try (Machine m = house.start(base)) {
            t = lap("start", t);
            System.err.println(sh(m, "uname -a; cat /etc/hostname; date; cat /proc/meminfo | head -2; df; ls /"));
            t = lap("sh", t);
            sh(
                    m,
                    "echo hello > /tmp/x; (i=0; while true; do i=$((i+1)); echo $i > /tmp/counter; sleep 0.1; done) >/dev/null 2>&1 &");
            t = lap("sh", t);
            for (int i = 0; i < 5; i++) {
                ForkResult r = house.engine().fork(m, List.of(Identity.fresh("f1", 2)), Deadline.inSeconds(30));
                t = lap("fork " + r.pause().toNanos() / 1000 + " us pause, " + r.dirtyBytes() + " dirty", t);
                try (Machine f = r.machines().getFirst()) {
                    System.err.println(sh(f, "cat /tmp/x /tmp/counter; hostname; cat /proc/sys/kernel/random/boot_id"));
                    t = lap("sh in fork", t);
                    System.err.println(sh(m, "cat /tmp/x /tmp/counter; hostname"));
                    t = lap("sh in source", t);
                    System.err.println("private " + f.privateBytes() / 1024 + " kB; dirty " + f.dirtyBytes());
                }
                t = lap("close", t);
            }
        }
        TestHouse.close();
        TestHouse.deleteHome(house.home());
    }

    private static long lap(String what, long since) {
        long now = System.nanoTime();
        System.err.println("## " + what + ": " + (now - since) / 1000 + " us");
        return now;
    }
}
