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

    private static String cpuName() {
        try {
            return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                    .filter(line -> line.startsWith("model name"))
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read /proc/cpuinfo", e);
        }
    }
}
