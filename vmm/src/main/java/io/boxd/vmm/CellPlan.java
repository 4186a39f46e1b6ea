package io.boxd.vmm;

import io.boxd.linux.ControlGroups;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a cell is to hold when it is made.
 *
 * @param bundle the QEMU that runs in it
 * @param memory the file that guest memory is a mapping of
 * @param memoryWritable only for making a new base: the mapping is shared and the file is the cell's
 * @param readOnlyFiles name below /image → file, mounted read-only
 * @param arguments QEMU's command line
 * @param limits of its control group
 * @param diskBytes no file that it writes may grow larger than this
 */
record CellPlan(
        String id,
        QemuBundle bundle,
        Accelerator accelerator,
        Path memory,
        boolean memoryWritable,
        Map<String, Path> readOnlyFiles,
        List<String> arguments,
        ControlGroups.Limits limits,
        long diskBytes) {
    CellPlan {
        readOnlyFiles = Map.copyOf(readOnlyFiles);
        arguments = List.copyOf(arguments);
    }
}
