package io.boxd.vmm;

import io.boxd.common.BoxdException;
import io.boxd.common.Deadline;
import io.boxd.common.ErrorCode;
import io.boxd.linux.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds out about the processor that machines will run on. */
final class HostFacts {
    private HostFacts() {}

    static Host of(Accelerator accelerator, QemuBundle bundle, Path launcher, Deadline deadline) {
        String measured = Command.of(launcher.toString(), "--tsc-kilohertz")
                .check(deadline)
                .output()
                .strip();
        return new Host(accelerator, bundle, Long.parseLong(measured), cpuName());
    }

    /** What the answer to "does hardware virtualisation work here" depends on. */
    static HostKey key(QemuBundle bundle) {
        return new HostKey(read("/proc/sys/kernel/osrelease"), cpuName(), bundle.key(), bootId());
    }

    /** Differs after every start of the host. */
    static String bootId() {
        return read("/proc/sys/kernel/random/boot_id");
    }

    private static String cpuName() {
        return read("/proc/cpuinfo")
                .lines()
                .filter(line -> line.startsWith("model name"))
                .findFirst()
                .orElse("unknown");
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read " + file, e);
        }
    }
}
