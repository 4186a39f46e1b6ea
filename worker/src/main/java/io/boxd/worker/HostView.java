package io.boxd.worker;

import io.boxd.common.BoxdException;
import io.boxd.common.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * What boxes must know of the host they are on.
 *
 * @param boot changes whenever the host starts
 * @param availableBytes of its memory, now
 */
record HostView(String boot, LongSupplier availableBytes) {
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path MEMORY = Path.of("/proc/meminfo");
    private static final String AVAILABLE = "MemAvailable:";

    /** This host. */
    static HostView real() {
        try {
            return new HostView(Files.readString(BOOT).strip(), HostView::readAvailable);
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read " + BOOT, e);
        }
    }

    private static long readAvailable() {
        try {
            return Files.readAllLines(MEMORY).stream()
                    .filter(line -> line.startsWith(AVAILABLE))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D+", "")) << 10)
                    .findFirst()
                    .orElseThrow(() -> new BoxdException(ErrorCode.INTERNAL, MEMORY + " tells nothing"));
        } catch (IOException e) {
            throw new BoxdException(ErrorCode.INTERNAL, "cannot read " + MEMORY, e);
        }
    }
}
